// Facts of the AWS command line, from the models it is made of (botocore 1.43: input members, and output members that are
// streamed or hold credentials). Options here take one value, or none; none is more than a parameter of the request.

/** Parameters of operations that look, of the services in daily use: each takes a value. */
const VALUES = `
--accepted-media-types --accepts --access-key-id --access-request-id --account-id --account-identifiers --account-scope --account-url
--acme-domain-validation-arn --acme-endpoint-arn --acme-external-account-binding-arn --action-prefix --activity-arn --activity-ids --addon-name
--addon-version --address-region --aggregators --alarm-contributor-id --alarm-mute-rule-name --alarm-name --alarm-name-prefix --alarm-names
--alarm-types --alias --allocation-ids --analysis-end-time --analysis-id --analysis-ids --analysis-start-time --analysis-start-time-begin
--analysis-start-time-end --analysis-status --annotation-name --annotation-prefix --anomaly-detector-arn --anomaly-detector-ids
--anomaly-detector-types --anycast-ip-list-id --api-id --api-key --api-mapping-id --application-status-check-ids --approximation-dimension
--architecture-types --archive-name --assignment-status --associated-policy-arn --association-filter --association-filter-list --association-id
--association-ids --association-version --at-time --attribute --attribute-name --attribute-names --attribute-value --attributes --attributes-to-get
--authorizer-id --auto-scaling-group-name --auto-scaling-group-names --automation-execution-id --availability-zone --availability-zone-group
--availability-zone-id --backtrack-identifier --backup-arn --backup-type --base-path --baseline-id --baseline-override --baseline-time-period
--batch-import-status --billing-view-arn --blue-green-deployment-identifier --bucket-region --bundle-ids --cache-policy-id --calendar-names --call-as
--capability-name --capacity-block-extension-duration-hours --capacity-block-ids --capacity-duration-hours --capacity-manager-data-export-ids
--capacity-provider-arns --capacity-provider-name --capacity-providers --capacity-reservation-cancellation-quote-ids --capacity-reservation-fleet-ids
--capacity-reservation-id --capacity-reservation-ids --capacity-reservation-modification-quote-ids --carrier-gateway-ids --certificate-arn
--certificate-authority-id --certificate-identifier --certificate-key-pair-origins --certificate-statuses --change-set-name --channel
--checkpoint-token --checksum-mode --child-id --child-type --children-of-alarm-name --chronological-order --cidr --client-certificate-id
--client-vpn-endpoint-id --client-vpn-endpoint-ids --cloud-connector-id --cluster-arn --cluster-name --cluster-type --cluster-versions
--code-signing-config-arn --collection-id --command-id --comparison-time-period --compatible-architecture --compatible-runtime --conditional-operator
--config-delivery-s3-destination-arn --configuration --connection-arn --connection-function-identifier --connection-mode --connection-notification-id
--connection-state --container-instance --container-instances --context --continent-code --continuation-token --conversion-task-ids
--cost-category-arn --cost-category-name --country-code --create-account-request-id --created-at --custom-key-store-id --custom-key-store-name
--customer-gateway-ids --customer-id --daemon-arn --daemon-deployment-arns --daemon-name --daemon-revision-arns --daemon-task-definition
--dashboard-id --dashboard-name --dashboard-name-prefix --data-queries --data-source-name --data-source-type --data-sources --data-type
--dataset-identifier --date-interval --db-cluster-endpoint-identifier --db-cluster-identifier --db-cluster-parameter-group-name
--db-cluster-resource-id --db-cluster-snapshot-identifier --db-instance-automated-backups-arn --db-instance-class --db-parameter-group-family
--db-parameter-group-name --db-proxy-endpoint-name --db-proxy-name --db-security-group-name --db-shard-group-identifier --db-snapshot-identifier
--db-subnet-group-name --dbi-resource-id --delegation-request-id --delegation-set-id --deletion-id --deletion-task-id --delivery-destination-name
--delivery-destination-types --delta-id --deployment-id --deprecated-status --desired-status --destination --destination-name-prefix
--dhcp-options-ids --dimension --discovery-region --distribution-id --distribution-tenant-id --dns-name --document-filter-list --document-format
--document-version --documentation-part-id --documentation-version --domain --domain-control-validation-resource --domain-name --domain-name-id
--durable-execution-arn --durable-execution-name --duration --ecr-repository-prefixes --effective-on --egress-only-internet-gateway-ids
--elastic-gpu-ids --embed --encoding --encoding-type --end-date --end-date-range --endpoint-arn --engine --engine-name --engine-version --entity-arn
--entity-filter --error-code --event-bus-name --event-categories --event-category --event-data-store --event-data-store-owner-account-id --event-name
--event-source --event-source-arn --event-source-name --event-type --exclude-characters --exclusion-ids --exclusive-start-backup-arn
--exclusive-start-global-table-name --exclusive-start-key --exclusive-start-table-name --executable-users --execution-arn --execution-id
--execution-preview-id --execution-status-filter --execution-statuses --expected-bucket-owner --export-arn --export-image-task-ids --export-name
--export-task-identifier --export-task-ids --export-type --extended-statistic --extended-statistics --family --fargate-profile-name --feedback
--field-index-names --file-last-written --file-size --filename-contains --filter-by --filter-expression --filter-log-group-arn --filter-name-prefix
--filter-statement --filters-with-operator --first-slot-start-time-range --fleet-id --fleet-ids --flow-log-id --flow-log-ids --fpga-image-id
--fpga-image-ids --function-version --generated-template-name --generation-status --global-cluster-identifier --global-table-name --grant-id
--grant-tokens --grantee-principal --grantee-service-principal --granularity --group-by --group-id --group-name --group-names --handshake-id
--health-check-id --history-item-type --home-region --hook-result-id --host-id-set --host-ids --host-reservation-id-set --hosted-zone-id
--hosted-zone-id-marker --hosted-zone-type --http-method --identifier --identity-provider-config --if-match --if-modified-since --if-none-match
--if-unmodified-since --image-id --import-arn --import-id --import-source-arn --import-status --import-task-ids --include-key-material
--include-raw-display-content --include-status --included-data --includes --index-categories --index-name --insight-source --insight-type
--instance-connect-endpoint-ids --instance-count --instance-event-window-ids --instance-family --instance-id --instance-information-filter-list
--instance-profile-name --instance-property-filter-list --instance-refresh-ids --instance-requirements --instance-requirements-with-metadata
--instance-tenancy --instance-type --instance-types --integrate-services --integration-arn --integration-id --integration-identifier
--integration-name --integration-name-prefix --integration-response-id --integration-status --integration-type --internet-gateway-ids
--internet-key-exchange-version --invocation-id --ipam-external-resource-verification-token-ids --ipam-id --ipam-ids
--ipam-internet-registry-association-id --ipam-internet-registry-association-ids --ipam-policy-id --ipam-policy-ids --ipam-pool-allocation-id
--ipam-pool-allocation-ids --ipam-pool-id --ipam-pool-ids --ipam-prefix-list-resolver-id --ipam-prefix-list-resolver-ids
--ipam-prefix-list-resolver-target-ids --ipam-prefix-list-resolver-version --ipam-prefix-list-resolver-versions
--ipam-resource-discovery-association-ids --ipam-resource-discovery-id --ipam-resource-discovery-ids --ipam-scope-id --ipam-scope-ids --job-id
--key-format --key-group-id --key-id --key-marker --key-names --key-pair-ids --key-type --kubernetes-version --label-options --last-updated-after
--last-updated-before --launch-configuration-names --launch-template-id --launch-template-ids --launch-template-name --launch-template-names
--launch-type --layer-digest --layer-name --lease-id --license-model --lifecycle-hook-names --listener-arn --listener-arns --load-balancer-arn
--load-balancer-arns --load-balancer-type --local-gateway-ids --local-gateway-route-table-id --local-gateway-route-table-ids
--local-gateway-route-table-virtual-interface-group-association-ids --local-gateway-route-table-vpc-association-ids
--local-gateway-virtual-interface-group-ids --local-gateway-virtual-interface-ids --locale --location-name --location-status --location-type
--log-group-class --log-group-identifier --log-group-identifiers --log-group-name-pattern --log-group-tags --log-object-pointer --log-record-pointer
--log-stream-name-prefix --log-stream-names --log-types --logical-resource-id --lookback-period-in-days --lookup-attributes --lookup-table-arn
--lookup-table-name-prefix --mac-modification-task-ids --major-engine-version --map-run-arn --marker --master-region --max-annotation-results
--max-buckets --max-contributor-count --max-datapoints --max-directory-buckets --max-duration --max-instance-count --max-keys --max-parts
--max-query-results --max-records --max-slot-duration-in-hours --max-uploads --max-version --metadata --metric --metric-data-queries
--metric-for-comparison --metric-names --metric-namespace --metric-widget --metrics --min-duration --min-slot-duration-in-hours --min-version
--minor-version --model-id --model-name --monitor-arn --monitor-arn-list --name-prefix --name-query --nat-gateway-ids --network-acl-ids
--network-insights-access-scope-analysis-id --network-insights-access-scope-analysis-ids --network-insights-access-scope-id
--network-insights-access-scope-ids --network-insights-analysis-ids --network-insights-path-id --network-insights-path-ids --network-interface-id
--network-interface-ids --network-interface-permission-ids --next-page-token --next-token --nodegroup-name --object-attributes --offering-class
--offering-id --offering-type --open-id-connect-provider-arn --operating-system --operation-id --ops-item-arn --ops-item-filters --ops-item-id
--ops-metadata-arn --option-group-name --optional-object-attributes --order-by --organizational-unit-id --origin-request-policy-id --outpost-lag-ids
--output-format --owner-id --owner-ids --owning-account --pagination-token --parameter-filters --parameters --parent-id --parents-of-alarm-name
--part-number --part-number-marker --password-length --patch-group --patch-set --path --path-prefix --payment-option --permission-type
--physical-resource-id --platform-application-arn --plugin-name --policy-id --policy-input-list --policy-name --policy-names --policy-scope
--policy-source-arn --policy-type --policy-types --policy-usage-filter --pool-id --pool-ids --portal-id --portal-product-id --position
--prediction-interval-level --prefix-list-id --prefix-list-ids --prefixes --principal-arn --product-description --product-descriptions
--product-page-id --product-rest-endpoint-page-id --projection-expression --property --provisioning-type --public-ips --public-version-number
--publisher-id --publishers --qualifier --query-alias --query-definition-name-prefix --query-filter --query-id --query-language --query-status
--queue-name --queue-name-prefix --queue-owner-aws-account-id --range --realtime-log-config-arn --realtime-log-config-name --recently-active
--recommendation-detail-id --recommendation-ids --recurrence --redrive-filter --refresh-id --region-filters --region-name --region-names
--registration-status-filter --registration-token --registry-id --registry-ids --replace-root-volume-task-ids --replay-name --report-id --report-ids
--repository-names --request-items --request-payer --request-validator-id --reserved-db-instance-id --reserved-db-instances-offering-id
--reserved-instance-ids --reserved-instances-id --reserved-instances-ids --reserved-instances-listing-id --reserved-instances-modification-ids
--reserved-instances-offering-ids --resource-arn-list --resource-arns --resource-id --resource-id-list --resource-identifier --resource-ids
--resource-management-type --resource-name --resource-owner --resource-owner-account-id --resource-region --resource-scan-id --resource-tag
--resource-type --resource-type-filters --resource-type-prefix --resource-types --resources --resources-per-page --response-cache-control
--response-content-disposition --response-content-encoding --response-content-language --response-content-type --response-expires
--response-headers-policy-id --response-type --rest-api-id --restorable-by-user-ids --result-attributes --retiring-principal
--retiring-service-principal --return-consumed-capacity --revision --revocation-id --revocation-ids --role --route-id --route-response-id
--route-server-endpoint-ids --route-server-id --route-server-ids --route-server-peer-ids --route-table-id --route-table-ids --routing-endpoint
--routing-rule-id --rule --rule-arns --rule-name --saml-provider-arn --sample-type --savings-plans-type --scan-by --scan-filter --scan-type-filter
--schedule-type --scheduled-action-names --scheduled-instance-ids --scheduling-strategy --scope --sdk-type --search-condition-expression
--search-phrase --search-string --search-vector --secondary-interface-ids --secondary-network-ids --secondary-subnet-ids --secret-id --secret-id-list
--security-group-rule-ids --segment --select --serial-number --server-certificate-name --serverless-v2-platform-version --service-account
--service-arn --service-deployment-arns --service-id --service-ids --service-link-virtual-interface-ids --service-name --service-names
--service-namespace --service-namespaces --service-principal --service-regions --service-revision-arns --service-specification --setting-id
--slot-start-time-range --snapshot-id --snapshot-ids --snapshot-type --sort --sort-by --sort-key --sort-order --source --source-arn
--source-identifier --source-type --spot-fleet-request-id --spot-fleet-request-ids --spot-instance-request-ids --sse-customer-algorithm
--sse-customer-key --sse-customer-key-md5 --ssh-public-key-id --stack-drift-detection-id --stack-instance-account --stack-instance-region
--stack-instance-resource-drift-statuses --stack-refactor-id --stack-resource-drift-status-filters --stack-set-name --stack-status-filter --stage
--stage-name --start-after --start-continent-code --start-country-code --start-date --start-date-range --start-record-identifier --start-record-name
--start-record-type --start-subdivision-code --started-after --started-before --started-by --state --state-machine-alias-arn --state-machine-arn
--state-value --states --statistic --status-code --status-filter --statuses --subdivision-code --subject-id --subnet-id --subscription-arn
--subscription-arn-list --subscription-name --supported-resource-types --suppression-state --sync-name --sync-type --table-arn --tag-filters --tag-key
--tag-key-filters --tag-keys --tag-value --tags-per-page --target --target-arn --target-capacity --target-capacity-unit-type --target-configurations
--target-group-arn --target-group-arns --target-group-name --target-id --target-id-filters --target-type --target-version --targets --task-id
--task-sets --template-arn --template-body --template-stage --template-summary-config --template-url --tenant-db-name --term-in-years --time
--time-period --time-range-lower-bound --time-range-upper-bound --top-k --topic-arn --total-impact --total-segments --traffic-mirror-filter-id
--traffic-mirror-filter-ids --traffic-mirror-filter-rule-ids --traffic-mirror-session-ids --traffic-mirror-target-ids --traffic-policy-id
--traffic-policy-id-marker --traffic-policy-instance-name-marker --traffic-policy-instance-type-marker --traffic-policy-version
--traffic-policy-version-marker --traffic-source-type --trail-name --trail-name-list --transit-gateway-attachment-id --transit-gateway-attachment-ids
--transit-gateway-connect-peer-ids --transit-gateway-ids --transit-gateway-metering-policy-id --transit-gateway-metering-policy-ids
--transit-gateway-multicast-domain-id --transit-gateway-multicast-domain-ids --transit-gateway-policy-table-id --transit-gateway-policy-table-ids
--transit-gateway-route-table-announcement-ids --transit-gateway-route-table-id --transit-gateway-route-table-ids --trust-store-arn --trust-store-arns
--trust-store-identifier --type --type-arn --type-name --types --ultraserver-count --ultraserver-type --unit --update-id --upload-id
--upload-id-marker --usage-plan-id --uuid --value --verified-access-endpoint-id --verified-access-endpoint-ids --verified-access-group-id
--verified-access-group-ids --verified-access-instance-id --verified-access-instance-ids --verified-access-trust-provider-ids --version-id-marker
--version-name --version-number --version-stage --version-status --versions --virtualization-types --visibility --volume-id --volume-ids
--vpc-encryption-control-ids --vpc-endpoint-id --vpc-endpoint-ids --vpc-id --vpc-link-id --vpc-origin-id --vpc-peering-connection-ids --vpc-region
--vpn-concentrator-ids --vpn-connection-device-type-id --vpn-connection-id --vpn-connection-ids --vpn-gateway-ids --vpn-tunnel-outside-ip-address
--web-acl-arn --web-acl-id --window-execution-id --window-id --window-task-id --worker-name --wrapping-algorithm --wrapping-key-spec --zone-ids
--zone-names`;

/** Those that take none, with what takes them back. */
const FLAGS = `
--aggregator --no-aggregator --all-availability-zones --no-all-availability-zones --all-regions --no-all-regions --all-users --no-all-users
--consistent-read --no-consistent-read --default-only --no-default-only --delegation-permission-check --no-delegation-permission-check --descending
--no-descending --details --no-details --dry-run --no-dry-run --effective-settings --no-effective-settings --exclude-compliant-resources
--no-exclude-compliant-resources --exclude-lowercase --no-exclude-lowercase --exclude-numbers --no-exclude-numbers --exclude-punctuation
--no-exclude-punctuation --exclude-uppercase --no-exclude-uppercase --fetch-owner --no-fetch-owner --flatten --no-flatten --include-all
--no-include-all --include-all-instances --no-include-all-instances --include-all-resource-types --no-include-all-resource-types
--include-compliance-details --no-include-compliance-details --include-deleted-groups --no-include-deleted-groups --include-deprecated
--no-include-deprecated --include-disabled --no-include-disabled --include-execution-data --no-include-execution-data --include-instances
--no-include-instances --include-linked-accounts --no-include-linked-accounts --include-local-zones --no-include-local-zones
--include-managed-resources --no-include-managed-resources --include-marketplace --no-include-marketplace --include-planned-deletion
--no-include-planned-deletion --include-property-values --no-include-property-values --include-public --no-include-public --include-public-key
--no-include-public-key --include-shadow-trails --no-include-shadow-trails --include-shared --no-include-shared --include-space --no-include-space
--include-unsupported-in-region --no-include-unsupported-in-region --include-value --no-include-value --include-values --no-include-values
--interleaved --no-interleaved --latest --no-latest --list-supported-character-sets --no-list-supported-character-sets --list-supported-timezones
--no-list-supported-timezones --multi-az --no-multi-az --only-attached --no-only-attached --require-each-included-type --no-require-each-included-type
--resolve-alias --no-resolve-alias --reverse-order --no-reverse-order --scan-index-forward --no-scan-index-forward --shared --no-shared
--single-availability-zone --no-single-availability-zone --start-from-head --no-start-from-head --sub-type --no-sub-type --unmask --no-unmask
--use-s3-dual-stack-endpoint --no-use-s3-dual-stack-endpoint --vpc --no-vpc --wake-up --no-wake-up --with-decryption --no-with-decryption`;

const lines = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Option rows for `describe-*`, `list-*` and `get-*`. */
export const AWS_PARAMETERS = [...lines(VALUES).map((name) => `${name}=text`), ...lines(FLAGS)].join("\n");

/** Operations by service whose names say that they look, and whose answers hold credentials. */
const TELLING = `
acm: get-acme-external-account-binding-credentials
amplify: list-branches
amplifybackend: get-backend-auth
appmesh: describe-virtual-gateway describe-virtual-node
appstream: describe-directory-configs
appsync: get-graphql-api-environment-variables
artifact: get-report get-term-for-report
athena: get-session-endpoint
auditmanager: get-assessment-report-url
autoscaling: describe-launch-configurations
batch: describe-jobs
bedrock-agent-runtime: get-document-content
bedrock-agentcore: get-resource-api-key get-resource-oauth2-token get-resource-payment-token get-workload-access-token
bedrock-agentcore: get-workload-access-token-for-jwt get-workload-access-token-for-user-id
bedrock-agentcore-control: get-agent-runtime get-harness
chime: get-bot list-bots
chime-sdk-meetings: get-attendee list-attendees
cloudwatchomni: get-space-credentials-for-organization
codebuild: batch-get-build-batches batch-get-builds batch-get-sandboxes
codepipeline: get-job-details get-third-party-job-details
cognito-idp: describe-identity-provider describe-user-import-job get-client-token get-tokens-from-refresh-token list-user-import-jobs
cognito-idp: list-user-pool-client-secrets
connecthealth: get-patient-insights-job
dataexchange: get-asset get-job list-jobs list-revision-assets
datasync: describe-location-fsx-ontap describe-location-fsx-open-zfs
datazone: get-connection list-connections
devicefarm: get-project get-run list-projects list-runs
directconnect: describe-virtual-interfaces
dms: describe-endpoints
ec2: describe-bundle-tasks describe-spot-fleet-requests describe-spot-instance-requests describe-verified-access-trust-providers
ec2: describe-vpn-connections get-instance-uefi-data get-launch-template-data get-vpn-connection-device-sample-configuration
ecr: get-download-url-for-layer get-login
ecs: describe-daemon-task-definition describe-express-gateway-service describe-tasks
emr: describe-notebook-execution get-on-cluster-app-ui-presigned-url get-persistent-app-ui-presigned-url get-session-endpoint
emr-serverless: get-session-endpoint
evs: get-environment
finspace: get-kx-connection-string
finspace-data: get-external-data-view-access-details get-programmatic-access-credentials
gamelift: get-compute-access get-compute-auth-token get-game-session-log-url
gameliftstreams: get-application list-applications
glue: batch-get-jobs get-job get-jobs get-session-endpoint
greengrassv2: get-component-version-artifact
interconnect: get-connection
iot: get-topic-rule-destination list-topic-rule-destinations
iot-managed-integrations: get-managed-thing get-provisioning-profile list-discovered-devices
iotsitewise: describe-pipeline describe-pipeline-execution describe-task
ivs: batch-get-channel get-channel get-stream-session
ivs-realtime: get-ingest-configuration
kinesis-video-signaling: get-ice-server-config
kinesisanalyticsv2: describe-application describe-application-snapshot describe-application-version list-application-snapshots list-applications
lakeformation: get-temporary-data-location-credentials get-temporary-glue-partition-credentials
lambda: get-layer-version get-layer-version-by-arn list-versions-by-function
lambda-microvms: get-microvm-image-version list-microvm-image-versions
lambda-web: get-web-function-revision
license-manager: get-access-token
lightsail: get-bucket-access-keys get-container-service-deployments
mailmanager: get-address-list-import-job list-address-list-import-jobs
mediapackage: describe-channel describe-origin-endpoint list-channels
mwaa: get-environment
pca-connector-scep: get-challenge-password
pcs: get-cluster
qbusiness: get-document-content
quicksight: describe-asset-bundle-import-job
s3control: get-data-access
sagemaker: describe-ai-recommendation-job describe-algorithm describe-auto-ml-job describe-auto-ml-job-v2 describe-data-quality-job-definition
sagemaker: describe-hyper-parameter-tuning-job describe-inference-component describe-model describe-model-bias-job-definition
sagemaker: describe-model-explainability-job-definition describe-model-package describe-model-quality-job-definition describe-monitoring-schedule
sagemaker: describe-notebook-instance-lifecycle-config describe-processing-job describe-training-job describe-transform-job
sagemaker: list-candidates-for-auto-ml-job
security-ir: get-case-attachment-download-url get-case-attachment-upload-url
snowball: get-job-manifest get-job-unlock-code
sso-admin: get-application-grant list-application-grants
storagegateway: describe-chap-credentials
sts: get-delegated-access-token get-web-identity-token
wafv2: list-api-keys
wickr: get-oidc-info get-opentdf-config
workspaces-thin-client: get-environment list-environments`;

/** Those whose answers are written to a file. */
const INTO_FILES = `
apigateway: get-export get-sdk
appconfig: get-configuration get-hosted-configuration-version
appconfigdata: get-latest-configuration
appsync: get-introspection-schema
cloudfront: get-connection-function get-function
codeartifact: get-package-version-asset
codeguruprofiler: get-profile
datazone: get-lineage-event
ebs: get-snapshot-block
gamelift: get-game-session-log
geo-maps: get-glyphs get-sprites get-static-map get-style-descriptor get-tile
glacier: get-job-output
iot-data: get-thing-shadow
iotwireless: get-position-estimate get-resource-position
kinesis-video-archived-media: get-clip get-media-for-fragment-list
kinesis-video-media: get-media
lakeformation: get-work-unit-results
location: get-map-glyphs get-map-sprites get-map-style-descriptor get-map-tile
medialive: describe-input-device-thumbnail
mediastore-data: get-object
medical-imaging: get-image-frame get-image-set-metadata
omics: get-read-set get-reference
s3api: get-object get-object-annotation get-object-torrent
sagemaker-geospatial: get-tile
schemas: get-code-binding-source
tnb: get-sol-function-package-content get-sol-function-package-descriptor get-sol-network-package-content get-sol-network-package-descriptor
workmailmessageflow: get-raw-message-content`;

/** `SERVICE OPERATION|…`, as a key of subcommands. */
const keyOf = (table: string): string =>
  table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [service = "", names = ""] = line.split(": ");
      return names.split(" ").map((name) => `${service} ${name}`);
    })
    .join("|");

export const AWS_TELLING = keyOf(TELLING);
export const AWS_INTO_FILES = keyOf(INTO_FILES);
