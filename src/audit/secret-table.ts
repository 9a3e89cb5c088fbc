/**
 * Which arguments carry a secret, by program: `PROGRAMS [SUBCOMMANDS]: WHAT`. Where they stand is from the programs' manuals.
 *
 *   -p          the value of this option: the next word, or attached (`-pX`, `--option=X`)
 *   -u:         of `user:secret` the part behind the sign; also `-U%`, `-u,`, `-u/`
 *   -b~         the value where it is `NAME=VALUE`, else it names a file
 *   -e=         the value is `NAME=SECRET`: what stands behind the `=`
 *   -s.         an option with a value that is no secret (so that operands are counted rightly)
 *   #2 #2+      the second operand behind the subcommand; from the second on
 *   k=v         operands of the form `NAME=SECRET`
 *   key         an operand that is the name of a secret: the next one is it
 *   <           what is piped in, here-documents included
 */
export const TABLE = `
  curl curlie: -u: -U: --user: --proxy-user: -b~ --cookie~ --oauth2-bearer --pass --proxy-pass --tlspassword --proxy-tlspassword
  wget wget2: --password --http-password --ftp-password --proxy-password
  http https httpie xh xhs: -a: --auth: --cert-key-pass
  lftp lftpget: -u,
  ncftp ncftpget ncftpput: -p
  smbclient rpcclient smbget net nmblookup smbmap crackmapexec netexec: -U% --user% -p
  mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlsh mariadb mariadb-dump mariadb-admin: -p! --password
  mongo mongosh mongodump mongorestore mongoimport mongoexport mongostat mongotop: -p --password
  sqlcmd bcp isql osql sqsh tsql: -P
  sqlplus sqlldr expdp impdp exp imp rman: #1/ --userid/
  redis-cli keydb-cli valkey-cli: -a --pass
  cqlsh clickhouse-client influx arangosh couchbase-cli cbq: -p -password --password
  snowsql trino presto: --password
  psql pg_dump pg_restore createuser: --password-value
  rabbitmqctl add_user: #2 <
  rabbitmqctl change_password: #2 <
  rabbitmqctl authenticate_user: #2 <
  ldapsearch ldapmodify ldapadd ldapdelete ldappasswd ldapwhoami ldapcompare: -w -s!
  sshpass: -p
  ssh-keygen: -N -P
  ssh-add: <
  docker login; podman login; nerdctl login; buildah login; skopeo login; crane auth; oras login: -p --password <
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
  gh secret set; gh auth login; gh codespace: -b --body --with-token <
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
  gem push; gem signin: -k --otp
  dotnet user-secrets set: #2 <
  dotnet nuget push; nuget push; choco apikey: -k --api-key -ApiKey
  nuget sources; dotnet nuget add: -p -Password --password
  mvn: --encrypt-password --encrypt-master-password -ep -emp
  git config: key
  git credential approve; git credential store; git credential: <
  heroku config:set; fly secrets set; flyctl secrets set; supabase secrets set; doppler secrets set; railway variables set; render env set; eb setenv: k=v #2
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
  bw login: #2 --code
  bw unlock; lpass login; bw create: #1 <
  bw send; rbw add; lpass add: <
  pass insert; pass otp; gopass insert: <
  keyring set; secret-tool store; kwalletcli: <
  security add-generic-password; security add-internet-password; security unlock-keychain; security set-keychain-password: -w -p
  htpasswd: -b> #3
  chpasswd newusers: <
  passwd smbpasswd mkpasswd vncpasswd argon2 pdbedit mosquitto_passwd saslpasswd2: <
  mosquitto_passwd: -b> #3
  useradd usermod adduser: -p --password
  sudo: -S<
  su doas runuser: <
  cryptsetup luks: <
  openssl: -k -K -pass -passin -passout -password -srppass -psk -kdfopt <
  zip: -P --password
  unzip zipcloak zipnote: -P
  7z 7za 7zr 7zz: -p!
  rar unrar: -p! -hp!
  qpdf: --encrypt>2 --password
  pdftk: #user_pw #owner_pw #input_pw
  gpg gpg2: --passphrase <
  age rage sops: <
  keytool jarsigner: -storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass
  signtool: /p
  osslsigncode: -pass
  ansible-vault encrypt_string: #1 <
  ansible ansible-playbook: --become-password --conn-pass
  rclone obscure: #1 <
  rclone config: k=v key
  mc alias set; mc config host add: #3+
  minio-client: #3+
  s3cmd: --secret_key --access_token
  restic borg duplicity kopia: --password <
  nmcli: #password #wifi-sec.psk #802-11-wireless-security.psk
  wpa_passphrase: #2 <
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
  login: -p
  mail2: -p
  kafka-configs: --add-config
  nordvpn login: --token
  protonvpn-cli login: --password
  openvpn: --auth-user-pass.
  dropdb createdb: --password-value
  gradle gradlew: --key-pass
`;
