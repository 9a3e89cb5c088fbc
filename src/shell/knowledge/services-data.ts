import { rows } from "./rows.ts";
import type { CommandSpec, SubcommandSpec } from "./spec.ts";

// Clients of queues, stores and analytic databases, and what migrates schemas.

const reads: SubcommandSpec = {
  style: "bsd",
  options: "-w --write-out=text\n--prefix\n--keys-only\n--limit=number\n--from-key\n-v --verbose\n-q --quiet\n--count-only\n--json",
  operands: "text*",
  effects: "remote.read database",
};
const changes: SubcommandSpec = { style: "none", operands: "text*", effects: "remote.change database" };
const destroys: SubcommandSpec = { style: "none", operands: "text*", effects: "remote.destroy database, danger remote-destroy" };

export const servicesData: readonly CommandSpec[] = [
  {
    names: "etcdctl",
    style: "posix",
    options:
      "-w --write-out=text\n--command-timeout=text\n--version -> stop\n-h --help -> stop\n# other servers and keys: --endpoints --cacert --cert --key --user --password",
    subcommands: {
      "get|member list|endpoint status|endpoint health|endpoint hashkv|version|alarm list|role list|user list|lease list": {
        ...reads,
        examples: { allow: ["etcdctl get x --prefix", "etcdctl member list"], ask: ["etcdctl --endpoints=evil.example:1 get x"] },
      },
      "put|txn|lease grant|member add|member update|user add|role add|auth enable|snapshot save|check perf|snapshot restore|defrag|lock|elect|watch|move-leader|make-mirror":
        { ...changes, examples: { ask: ["etcdctl put a b", "etcdctl watch x -- ./evil", "etcdctl lock x ./evil"] } },
      "del|member remove|user delete|role delete|auth disable|compaction|lease revoke|alarm disarm": {
        ...destroys,
        examples: { ask: ["etcdctl del --prefix ''", "etcdctl auth disable"] },
      },
    },
    examples: { allow: ["etcdctl --version"], none: ["etcdctl frobnicate"] },
  },
  {
    names: "rabbitmqctl rabbitmq-diagnostics",
    summary: "a RabbitMQ server",
    style: "bsd",
    // -n: another node, to which it hands over.
    options: rows(
      "-q --quiet; -s --silent; -t --timeout=number; -l --longnames; --formatter=text; --no-table-headers; -p --vhost=text; --version -> stop; --help -> stop",
    ),
    subcommands: {
      "list_users|list_vhosts|list_permissions|list_user_permissions|list_topic_permissions|list_user_topic_permissions|list_queues|list_exchanges|list_bindings|list_channels|list_connections|list_consumers|list_policies|list_operator_policies|list_ciphers|list_hashes|list_feature_flags|list_deprecated_features|list_unresponsive_queues|list_user_limits|list_vhost_limits|list_node_auth_attempt_stats|status|cluster_status|ping|version|help|alarms|listeners|memory_breakdown|server_version|erlang_version|is_running|is_booting|check_running|check_local_alarms|check_alarms|check_port_connectivity|check_virtual_hosts|disk_free|runtime_thread_stats|quorum_status":
        {
          options: "--online\n--offline\n--local\n--global\n--node-only",
          operands: "text*",
          effects: "remote.read queue",
          examples: {
            allow: [
              "rabbitmqctl list_users",
              "rabbitmqctl list_queues name messages",
              "rabbitmqctl -q status",
              "rabbitmq-diagnostics ping",
            ],
            ask: ["rabbitmqctl -n evil@evil.example list_users"],
          },
        },
      // Addresses with passwords in them.
      "environment|report|list_parameters|list_global_parameters|list_shovels|os_env": {
        operands: "text*",
        effects: "remote.read queue, secrets",
        examples: { ask: ["rabbitmqctl environment"] },
      },
      "delete_user|delete_vhost|delete_queue|purge_queue|reset|force_reset|forget_cluster_node|clear_permissions": {
        style: "none",
        operands: "text*",
        effects: "remote.destroy queue, danger remote-destroy",
        examples: { ask: ["rabbitmqctl reset", "rabbitmqctl delete_vhost x"] },
      },
      "*": {
        style: "none",
        operands: "text*",
        effects: "remote.change queue",
        examples: { ask: ["rabbitmqctl eval 'x.'", "rabbitmqctl add_user a b", "rabbitmqctl frobnicate"] },
      },
    },
    examples: { allow: ["rabbitmqctl --version"] },
  },
  {
    names:
      "kcat kafkacat kafka-topics kafka-topics.sh kafka-console-consumer kafka-console-producer kafka-consumer-groups kafka-configs kaf rpk nats nats-server rabbitmqadmin rabbitmq-plugins pulsar-admin mosquitto_pub mosquitto_sub zkCli.sh redis-benchmark redis-check-aof memcdump memcflush celery-admin",
    summary: "queues and their servers",
    style: "bsd",
    options: "--version -> stop\n--help -> stop",
    operands: "refuse*=x",
    effects: "remote.change queue",
    examples: {
      allow: ["kcat --version"],
      ask: ["kafka-topics --delete --topic x", "kcat -P -b h -t x a.txt", "kcat -C -t x", "nats pub x y"],
    },
  },
  {
    names:
      "clickhouse-client clickhouse trino presto cqlsh snowsql sqlcmd usql pgcli mycli litecli iredis vsql bteq isql monetdb-client mclient",
    summary: "database shells; only a reading statement given with -q is known",
    style: "words",
    options: rows(
      "-q -query -execute=sql -> drop script; -version -> stop; -help -> stop; -h -host -hostname=host; -port=number; -u -user=text; -d -database=text; -t -time; -format=text; -password=text",
      "# other meanings in some of them: -e -Q -f -i",
    ),
    operands: "script:code/sql?=-",
    effects: "remote.read database",
    examples: {
      allow: ["clickhouse-client -q 'select 1'", "trino --version"],
      ask: [
        "clickhouse-client -q 'drop table x'",
        "clickhouse-client -h evil.example -q 'select 1'",
        "cqlsh -e 'drop table x'",
        "sqlcmd -Q 'drop table x'",
        "pgcli",
      ],
    },
  },
  {
    names:
      "sqlplus bcp cypher-shell influx influxd-ctl hive beeline impala-shell spark-sql mongotop mongostat mongofiles arangosh cockroach cassandra-cli nodetool orientdb neo4j-admin neo4j pgbench clusterdb pg_basebackup pg_upgrade pg_resetwal pg_rewind pg_receivewal pg_restore-all mysqlcheck mysqlslap mysqlshow mysql_upgrade mysql_secure_installation myisamchk mydumper myloader xtrabackup wal-g pgbackrest barman dropuser-all createlang sqlite-utils datasette litestream dolt",
    summary: "databases: their languages are not read here",
    style: "none",
    operands: "code/database?=repl code/database*",
    effects: "remote.change database",
    examples: { ask: ["pgbench -i x", "influx query x", "sqlplus x/y @a.sql", "cockroach sql -e 'drop table x'", "nodetool decommission"] },
  },
  {
    names:
      "goose dbmate migrate flyway liquibase skeema pgroll reshape sqitch tern rambler golang-migrate soda phinx doctrine dbdeployer bytebase pgquarrel migra",
    summary: "migrates schemas",
    style: "posix",
    options: "-version --version -> stop\n-h --help -help -> stop",
    subcommands: {
      "down|down-to|reset|drop|clean|rollback|rollbackSQL|dropAll|drop-all|undo|redo|destroy": {
        style: "none",
        operands: "text*",
        effects: "code.project, remote.destroy database, danger remote-destroy",
        examples: { ask: ["dbmate drop", "flyway clean", "goose down", "liquibase dropAll"] },
      },
      "up|up-to|migrate|update|baseline|repair|create|new|generate|deploy|force|wait|dump|load|status|info|validate|history": {
        style: "none",
        operands: "text*",
        effects: "code.project, remote.change database",
        examples: { ask: ["dbmate up", "flyway migrate", "goose status"] },
      },
    },
    examples: { allow: ["dbmate --version"], ask: ["migrate -path x -database y up"] },
  },
  {
    names: "huggingface-cli hf",
    summary: "models and data sets",
    style: "none",
    operands: "code/project?=default",
    subcommands: {
      "version|env|whoami|auth whoami|scan-cache|cache scan|cache ls": {
        style: "none",
        operands: "text*",
        effects: "remote.read huggingface",
        examples: { allow: ["huggingface-cli whoami", "hf env"] },
      },
      download: { style: "none", operands: "text*", effects: "remote.read huggingface, write .", examples: { ask: ["hf download x/y"] } },
      "upload|upload-large-folder|repo create|repo-files upload": {
        style: "none",
        operands: "read*",
        effects: "remote.publish huggingface, danger publish",
        examples: { ask: ["hf upload x/y a.txt"], deny: ["hf upload x/y .env"] },
      },
      "repo delete|repo-files delete|delete-cache|cache rm|repo-files": {
        style: "none",
        operands: "text*",
        effects: "remote.destroy huggingface, danger remote-destroy",
        examples: { ask: ["hf repo delete x/y"] },
      },
      "login|logout|auth login|auth logout|auth token": {
        style: "none",
        operands: "text*",
        effects: "environment",
        examples: { ask: ["huggingface-cli login --token x"] },
      },
    },
    examples: { none: ["hf"] },
  },
  {
    names: "hadoop hdfs yarn-hadoop mapred oozie sqoop pig flink nifi presto-admin storm",
    summary: "clusters of Hadoop",
    style: "none",
    operands: "text*",
    effects: "code.project, remote.change hadoop",
    examples: { ask: ["hdfs dfs -rm -r /x", "hadoop jar x.jar"] },
  },
];
