/**
 * Which arguments carry a secret, by program: `PROGRAMS [SUBCOMMANDS]: WHAT`. Where they stand is from the programs' manuals.
 *
 *   -p          the value of this option: the next word, or attached (`-pX`, `--option=X`)
 *   -u:         of `user:secret` the part behind the sign; also `-U%`, `-u,`, `-u/`; `-a;`: the whole where there is no sign
 *   -b~         the value where it is `NAME=VALUE`, else it names a file
 *   -e=         the value is `NAME=SECRET`: what stands behind the `=`
 *   -k+         never attached, because longer options begin like it
 *   -s.         an option with a value that is no secret (so that operands are counted rightly)
 *   #2 #2+      the second operand behind the subcommand; from the second on
 *   k=v         operands of the form `NAME=SECRET`
 *   key         an operand that is the name of a secret: the next one is it
 *   <           what is piped in, here-documents included; `-S<`: only with this option
 *   ~sS         letters that may stand before an option in one word: `-sSu me:secret`
 *   \           at the end of a line: the row goes on in the next one
 */
export const TABLE = `
  curl curlie: ~#012346aBfgGiIjJklLMnNOpqRsSvVZ -K< --config< -u: -U: --user: --proxy-user: \
-b~ --cookie~ --oauth2-bearer --pass --proxy-pass --tlspassword --proxy-tlspassword
  wget wget2 aria2c: --password --http-password --http-passwd --ftp-passwd --ftp-password --proxy-password
  http https httpie xh xhs: -a; --auth; --cert-key-pass
  ab: -A: -P:
  nikto: -id:
  nc ncat telnet socat: <login
  lftp lftpget: -u, -e, -c,
  ncftp ncftpget ncftpput: -p
  smbclient: #2
  smbclient rpcclient smbget net nmblookup smbmap crackmapexec netexec: -U% --user% -p
  mysqladmin: #password #old-password
  mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlsh mariadb mariadb-dump mariadb-admin: -p! --password
  mongo mongosh mongodump mongorestore mongoimport mongoexport mongostat mongotop: -p --password
  sqlcmd bcp isql osql sqsh tsql: -P
  sqlplus sqlldr expdp impdp exp imp rman: #1/ --userid/
  redis-cli keydb-cli valkey-cli: -a --pass #AUTH #auth #requirepass #REQUIREPASS #masterauth #MASTERAUTH
  isql iusql: #3
  cypher-shell: -p --password
  neo4j-admin: #set-initial-password
  elasticsearch-reset-password elasticsearch-users: -p <
  elasticsearch-keystore: <
  arangosh arangodump arangoimport: --server.password
  cqlsh clickhouse-client influx arangosh couchbase-cli cbq: -p -password --password
  snowsql trino presto: -p --password
  rabbitmqadmin: -p --password
  psql pg_dump pg_restore createuser: --password-value
  rabbitmqctl add_user: #2 <
  rabbitmqctl change_password: #2 <
  rabbitmqctl authenticate_user: #2 <
  ldappasswd: ~xZvCIM -s -a -w
  ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami ldapcompare: ~xZvCIM -w -s!
  sshpass: -p
  plink pscp psftp pageant: -pw
  wg: <
  ssh-keygen: -N -P
  ssh-add: <
  docker login; podman login; nerdctl login; buildah login; skopeo login; crane auth; oras login: -p --password <
  skopeo podman buildah: --creds: --src-creds: --dest-creds: --registry-token --src-registry-token --dest-registry-token \
--src-password --dest-password
  docker secret create; podman secret create: <
  helm registry login; helm repo add: -p --password <
  kubectl create secret; oc create secret: --from-literal= --docker-password
  kubectl config set-credentials; oc login: --token --password -p
  kubectl patch secret; oc patch secret: -p --patch
  kubectl apply; oc apply; kubectl create; oc create: <secret
  aws configure set: key
  aws secretsmanager: --secret-string --secret-binary <
  aws ssm put-parameter: --value <
  aws iam: --password --new-password --old-password
  aws rds; aws redshift; aws cognito-idp; aws docdb; aws directconnect: --master-user-password --password --temporary-password --auth-parameters
  aws lambda: --environment
  az login: -p --password
  az keyvault secret set: --value
  az ad; az vm; az sql; az postgres; az mysql; az acr; az webapp; az functionapp: -p --password --admin-password --settings=
  gcloud secrets: <
  gcloud sql users: --password
  gcloud auth: <
  gh secret set; gh variable set; gh auth login; gh codespace: -b --body --with-token <
  glab auth login: -t --token <
  glab variable set: #2 -v --value <
  glab variable update: #2 -v --value <
  npm config set; npm set; pnpm config set; yarn config set; bun config set; npm c set: key
  npm publish; npm token; npm dist-tag; npm unpublish: --otp
  yarn npm; pnpm publish: --otp
  pip config set; pip3 config set: key
  poetry config: key #3 pypi
  poetry publish; twine upload; flit publish; hatch publish; uv publish; maturin upload: -p --password -t --token
  cargo login: #1 <
  composer config: key #3 oauth
  bundle config; bundler config: #2
  bundle config set; bundler config set: #2
  gem push; gem signin: -k --otp
  dotnet user-secrets set: #2 <
  dotnet nuget push; nuget push; choco apikey: -k --api-key -ApiKey
  nuget sources; dotnet nuget add: -p -Password --password
  mvn: --encrypt-password --encrypt-master-password -ep -emp
  git config: key
  git credential approve; git credential store; git credential: <
  eas secret:create; eas env:create: --value
  infisical secrets set: k=v
  teller put: k=v
  heroku config:add; heroku config:set; fly secrets set; flyctl secrets set; supabase secrets set; \
doppler secrets set; railway variables set; render env set; eb setenv: k=v #2
  fly secrets import; flyctl secrets import; doppler secrets upload: <
  netlify env:set; vercel env add; vercel env update: #2 <
  vercel netlify expo eas now: -t --token
  wrangler secret put; wrangler secret bulk; wrangler pages secret put: <
  firebase functions:config:set; firebase functions:secrets:set: k=v <
  pulumi config set: #2 <
  expo login; eas login: -p
  circleci context store-secret; travis encrypt; travis env set: #2+ <
  circleci setup: --token
  ngrok authtoken; ngrok config add-authtoken: #1
  tailscale up; tailscale login: --authkey --auth-key
  cloudflared service install; cloudflared tunnel run: #1 --token
  doctl auth init: -t --access-token
  stripe login; stripe listen: --api-key
  sentry-cli login: --auth-token
  cf login; cf auth; ibmcloud login; bx login: -p #2 --apikey
  argocd login; argocd account: --password --current-password --new-password
  rancher login; rke2: -t --token
  vault kv put; vault kv patch; vault write; vault kv metadata: k=v <
  vault login; vault token; vault unwrap; vault operator unseal: #1 <
  consul kv put; etcdctl put; consul: -token --token --http-token #2
  etcdctl: --user: --password
  nomad var put: k=v
  chamber write; credstash put; biscuit put; teller put: #2+ <
  op item create; op item edit; op read: k=v
  op signin; op account add: #3 --secret-key <
  bw login: #2 --code <
  bw unlock; lpass login; bw create: #1 <
  bw send; rbw add; lpass add: <
  pass insert; pass otp; gopass insert: <
  keyring set; secret-tool store; kwalletcli: <
  security add-generic-password; security add-internet-password; security unlock-keychain; security set-keychain-password: -w -p
  htpasswd: -b> #3
  htpasswd -nb; htpasswd -bn; htpasswd -nbB; htpasswd -bnB; htpasswd -nbm; htpasswd -bnm: #1
  caddy hash-password: --plaintext <
  mkpasswd: -m. --method. -S. --salt. -R. --rounds. -P. --password-fd. #1+
  chpasswd newusers: <
  passwd smbpasswd mkpasswd vncpasswd argon2 pdbedit mosquitto_passwd saslpasswd2: <
  mosquitto_passwd: -b> #3
  useradd usermod adduser: -p --password
  sudo: ~AbEHknPv -S<
  su doas runuser: <
  gocryptfs cryptsetup veracrypt: < --password
  zfs load-key; zfs change-key; zfs create: <
  ffmpeg ffplay ffprobe: -decryption_key -encryption_key -cryptokey -hls_enc_key -passphrase -key -password
  mp4decrypt mp4encrypt shaka-packager packager: --key: --keys
  openssl passwd: #1 #2 -salt. -in.
  openssl: -hmac -macopt: -k+ -K+ -pass -passin -passout -password -srppass -psk -kdfopt <
  zip: ~rqjmyeTuvX0123456789 -P --password
  unzip zipcloak zipnote: ~oqnjlvtu -P
  7z 7za 7zr 7zz: -p!
  rar unrar: -p! -hp!
  qpdf: --encrypt>2 --password
  pdftotext pdfinfo pdfimages pdftoppm pdftocairo pdftohtml pdfseparate: -upw -opw
  pdftk: #user_pw #owner_pw #input_pw
  gpg gpg2: --passphrase <
  age rage sops: <
  keytool jarsigner: -storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass
  signtool: /p
  osslsigncode: -pass
  ansible-vault encrypt_string: #1 <
  xcrun altool; xcrun notarytool: -p --password
  security import; security export: -P
  snyk auth; wandb login; zerotier-cli join; nuget setApiKey; mix hex.user: #1 --key
  netbird up: --setup-key
  codecov codecovcli: -t --token
  sonar-scanner sonar: -Dsonar.login
  kaggle config set: -v --value
  llm keys set; databricks configure; hcloud context create: --value --token <
  crudini dotenv conda set setenv: key
  conda config --set; jq --arg; crudini --set; gojq --arg; yq --arg: key
  read: <named
  drush user:password; drush upwd: #2 --password
  occ user:add; occ user:resetpassword: <
  evil-winrm crackmapexec netexec nxc conjur: -p
  ansible ansible-playbook: --become-password --conn-pass
  rclone obscure: #1 <
  rclone config: k=v key
  mc alias set; mc config host add: #3+
  minio-client: #3+
  s3cmd: --secret_key --access_token
  restic borg duplicity kopia: --password <
  nmcli: #password #wifi-sec.psk #802-11-wireless-security.psk
  wpa_passphrase: #2 <
  wpa_cli: #psk #password #wep_key0 #sae_password
  sops: --set
  keepassxc-cli kpcli: <
  terraform login; tofu login: <
  iwconfig: #key
  snmpget snmpwalk snmpset snmpbulkwalk: -A -X -c
  ipmitool: -P -k
  xfreerdp wlfreerdp: /p
  rdesktop: -p
  x11vnc: -passwd
  vncviewer: -passwd
  mosquitto_pub mosquitto_sub mosquitto_rr: -P --pw
  swaks: -ap --auth-password
  msmtp: --passwordeval.
  kinit: <
  svn: --password
  hg: --config=
  jira: -p --token
  snap: --password
  influx: -t --token -p --password
  wpscan: --api-token
  hydra medusa ncrack: -p
  ftp: #3
  tea glab jira: --token
  mail2: -p
  kafka-configs: --add-config
  nordvpn login: --token
  protonvpn-cli login: --password
  openvpn: --auth-user-pass.
  dropdb createdb: --password-value
  gradle gradlew: --key-pass
`;

/** Words that make a field, variable or option name the name of a secret. */
const WORDS = new Set(
  (
    "password passwd pwd pass passphrase passcode secret secrets token tokens apikey credential credentials auth " +
    "authorization bearer cookie cookies otp jwt psk"
  ).split(" "),
);
const BEFORE_KEY = new Set(
  "api access private secret signing encryption auth account storage master service shared subscription functions setup license".split(" "),
);
const SUFFIX = new RegExp(
  "(?:password|passwd|passphrase|secret|token|apikey|accesskey|secretkey|privatekey|credentials?|_auth|authkey|(?:ssh|" +
    "store|key|db|root|admin|user|redis|mysql|ftp|smtp|imap|mail|login|vnc|wifi)pass)$",
);
/** Every word and suffix holds one of these: most names hold none, and no pattern needs to be compiled for them. */
const STEMS = ["pass", "pwd", "secret", "token", "key", "credential", "auth", "bearer", "cookie", "otp", "jwt", "psk"];
/** Counts of tokens, and the shell's working directory. */
const HARMLESS = new RegExp(
  "^(?:(?:(?:max|min|num|n[_-]|count|total|limit)[_-]?.{0,16}tokens?|(?:input|output|prompt|completion|cached|" +
    "new)[_-]?.{0,16}tokens)(?:[_-]?count)?|tokens|PWD|OLDPWD)$",
  "i",
);
const LOWER_PWD = /^(?:old)?pwd$/;

/**
 * Whether a name is that of a secret: `apiKey`, `AWS_SECRET_ACCESS_KEY`, `X-Auth-Token`, `--db-pass`.
 * Words count, not letters: `secretary`, `author`, `bypass` are none.
 */
export function isSecretName(name: string): boolean {
  if (name.length > 256) return false;
  const lower = name.toLowerCase();
  if (!STEMS.some((stem) => lower.includes(stem))) return false;
  const bare = name.replace(/^-+/, "");
  if (HARMLESS.test(bare) && !LOWER_PWD.test(bare)) return false;
  const words = bare
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  if (words.some((word, at) => WORDS.has(word) || ((word === "key" || word === "keys") && BEFORE_KEY.has(words[at - 1] ?? ""))))
    return true;
  return SUFFIX.test(bare.toLowerCase());
}
