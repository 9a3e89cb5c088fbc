import { describe, expect, it } from "vitest";
import { auditLine, redact, redactString } from "@assent/guard/audit";
import { workedSince } from "../worked.ts";

/** Where `X` stands for the secret. What else is in the line stays readable. */
const FORMS = `
aws configure set aws_secret_access_key X --profile dev
aws secretsmanager create-secret --name db --secret-string X
aws secretsmanager put-secret-value --secret-id db --secret-string '{"a":"X"}'
aws ssm put-parameter --name /a --type SecureString --value X
aws iam create-login-profile --user-name bob --password X
aws rds create-db-instance --master-user-password X --name d
npm config set //registry.npmjs.org/:_authToken X
npm config set _auth X
pnpm config set //r.dev/:_authToken X
yarn config set npmAuthToken X
npm publish --otp X
gh secret set TOKEN -b X
gh secret set TOKEN --body X --repo o/r
gh secret set TOKEN -bX
echo X | gh secret set TOKEN
gh secret set TOKEN <<< X
gh auth login --with-token <<< "X"
glab auth login -t X
glab variable set NAME X
kubectl create secret generic s --from-literal=k=X
kubectl create secret generic s --from-literal k=X -n prod
kubectl create secret docker-registry s --docker-server=h --docker-password=X
oc login -u me -p X https://h
curl -b sid=X https://h.dev
curl -bsid=X https://h.dev
curl --cookie "sid=X; other=1" https://h.dev
curl -u me:X https://h.dev
curl --oauth2-bearer X https://h.dev
curl --pass X --cert c.pem https://h.dev
http -a me:X https://h.dev
xh --auth=me:X https://h.dev
lftp -u me,X sftp://h
smbclient //h/share -U me%X
vault kv put secret/app password=X
vault kv put secret/app api=X other=1
vault write auth/userpass/users/bob password=X
vault login X
vault operator unseal X
echo X | vault login -
consul kv put app/key X
mongosh -u me -p X mongodb://h
mongosh --password X
mongodump -pX --db d
mysql -u root -pX db
mariadb-dump -pX db
sqlcmd -S h -U sa -P X -Q "select 1"
sqlcmd -PX
sqlplus scott/X@db
redis-cli -a X ping
cqlsh -u me -p X h
rabbitmqctl add_user bob X
rabbitmqctl change_password bob X
ldapsearch -x -D cn=a -w X -b dc=b
zip -P X a.zip b
zip -r -P X a.zip b
unzip -P X a.zip
7z a -pX a.7z b
7z x a.7z -pX
rar a -hpX a.rar b
openssl enc -aes-256-cbc -k X -in a -out b
openssl enc -aes-256-cbc -K X -in a
openssl rsa -passin pass:X -in k.pem
openssl pkcs12 -export -passout pass:X -out a.p12
openssl pkcs12 -password pass:X -in a.p12
gpg --batch --passphrase X -d f.gpg
echo X | gpg --batch --passphrase-fd 0 -d f.gpg
ssh-keygen -t ed25519 -N X -f k
ssh-keygen -p -P X -f k
sshpass -p X ssh h
sshpass -pX ssh h
htpasswd -b f bob X
htpasswd -bc f bob X
echo bob:X | chpasswd
chpasswd <<< bob:X
echo X | sudo -S ls
sudo -S ls <<< X
echo X | docker login -u me --password-stdin r.io
docker login -u me -p X r.io
docker login -u me --password=X r.io
printf '%s' X | podman login --password-stdin r.io
helm registry login h -u me -p X
printf '%s' "X" | docker secret create name -
echo X | wrangler secret put NAME
echo X | vercel env add NAME production
echo X | pass insert -e mail/me
echo -n X | secret-tool store --label=a b c
fly secrets set API=X OTHER=1
heroku config:set API=X -a app
doppler secrets set API=X
supabase secrets set API=X
netlify env:set API X
firebase functions:config:set a.b=X
pulumi config set --secret dbPassword X
dotnet user-secrets set Api:Key X
dotnet nuget push a.nupkg -k X
nuget sources add -Name n -Password X
cargo login X
twine upload -u me -p X dist/a.whl
poetry config pypi-token.pypi X
poetry config http-basic.repo me X
composer config github-oauth.github.com X
bundle config gems.dev me:X
az login -u me -p X
az keyvault secret set --vault-name v --name n --value X
gcloud sql users set-password u --password X
echo X | gcloud secrets create n --data-file=-
ngrok authtoken X
ngrok config add-authtoken X
tailscale up --authkey X
tailscale up --authkey=X
cloudflared tunnel run --token X
bw unlock X
keytool -genkey -storepass X -alias a
jarsigner -keypass X a.jar b
ansible-vault encrypt_string X --name n
nmcli dev wifi connect ssid password X
wpa_passphrase ssid X
snmpget -v3 -A X h
ipmitool -H h -U u -P X power status
xfreerdp /u:me /p:X /v:h
mosquitto_pub -u u -P X -t t -m m
mc alias set s3 https://h AKEY X
rclone obscure X
rclone config create r s3 secret_access_key=X
cf login -u me -p X
argocd login h --username a --password X
influx query -t X
security add-generic-password -a me -s s -w X
useradd -p X bob
env FOO=1 zip -P X a.zip b
sudo -u bob mysql -pX db
timeout 5 mongosh -p X
cd a && zip -P X a.zip b && ls
(aws configure set aws_secret_access_key X)
npx wrangler login; echo X | npx wrangler secret put A
MYSQL_PWD=X mysql -u root
RESTIC_PASSWORD=X restic backup a
SSHPASS=X sshpass -e ssh h
docker run -e DB_PASSWORD=X img
docker run --env DB_PASSWORD=X img
helm upgrade a b --set auth.password=X
terraform apply -var db_password=X
mvn -Dpassword=X deploy
git -c http.extraHeader="Authorization: Basic X" fetch
git clone https://me:X@h.dev/r
psql "host=h user=u password=X dbname=d"
psql postgres://u:X@h/d
cat <<EOF | kubectl apply -f -
kubectl apply -f - <<EOF
`
  .trim()
  .split("\n");

const SECRET = "Zq7-plainTextOnly";
const MANIFEST = `apiVersion: v1\nkind: Secret\nstringData:\n  key: ${SECRET}\nEOF`;
const line = (form: string): string => {
  const text = form.replace("X", SECRET);
  return form.includes("<<EOF") ? `${text}\n${MANIFEST}` : text;
};

/** Nothing in these is a secret: they stay as they are. */
const PLAIN = `
docker run -p 8080:80 img
docker run --rm -it -p 127.0.0.1:8080:80 img sh
docker exec -u root c ls
mkdir -p a/b && cp -p a b
ssh -p 22 h ls
ssh-keygen -l -f k.pub
zip -r a.zip b
7z l a.7z
curl -b cookies.txt https://h.dev
curl -s https://h.dev | jq .a
git config user.name Bob
git config --get remote.origin.url
npm config set loglevel warn
aws configure set region eu-west-1
kubectl create secret generic s --from-file=a
kubectl apply -f deployment.yaml
kubectl get pods -o wide
cat a.yaml | kubectl apply -f -
vault kv get secret/app
vault status
gh secret list
gh pr create --body text
redis-cli ping
mysql -u root -p db
openssl x509 -in a.pem -noout -text
openssl rand -hex 16
echo hello | sudo tee a
sudo -u bob ls
su bob -c ls
http GET h.dev a==b
op item list
bw list items
poetry config virtualenvs.create false
poetry install
cargo build -p core
gcloud projects list
net -l
echo a | passwd-generator
tailscale status
`
  .trim()
  .split("\n");

describe("T9: secrets in arguments and in what is piped in", () => {
  it.each(FORMS)("%s", (form) => {
    const text = line(form);
    expect(text).toContain(SECRET);
    const out = redactString(text);
    expect(out).not.toContain(SECRET);
    // The program is still named.
    expect(out).toContain(form.split(/[ =]/)[0]);
    // Nor in what the log keeps of the whole decision, where each command stands for itself.
    const actions = text.split(/[|\n]|&&/).map((part) => ({
      action: {
        kind: "exec" as const,
        program: "x",
        argv: part
          .trim()
          .split(/\s+/)
          .map((word) => ({ known: true as const, text: word.replaceAll(/["']/g, "") })),
      },
      verdict: { decision: "ask" as const, basis: "default" as const, reason: `would run ${part.trim()}` },
    }));
    const logged = auditLine({
      time: 0,
      point: "hook",
      agent: "a",
      cwd: "/",
      tool: "Bash",
      input: { command: text },
      verdict: { decision: "ask", basis: "default", reason: `would run ${text}`, actions: actions as never, unknowns: [] },
      answer: "ask",
      milliseconds: 0,
    });
    expect(logged).not.toContain(SECRET);
  });

  it.each(PLAIN)("leaves %s", (text) => expect(redactString(text)).toBe(text));

  it("in lists of arguments and named values", () => {
    const input = {
      argv: ["zip", "-P", SECRET, "a.zip"],
      other: { command: "mysql", args: ["-u", "root", `-p${SECRET}`, "db"] },
      env: [{ name: "DB_PASSWORD", value: SECRET }],
      list: ["aws", "configure", "set", "aws_secret_access_key", SECRET],
    };
    const out = JSON.stringify(redact(input));
    expect(out).not.toContain(SECRET);
    for (const kept of ["a.zip", "root", "db", "aws_secret_access_key", "DB_PASSWORD"]) expect(out).toContain(kept);
  });

  const PUMPS =
    "docker ;zip -P ;echo x | ;<<a ;vault kv put a=b ;\";';\\;<<< ;aws configure set token ;alter user ;create role x password ;set password ;machine a login b ;identified by ;\"' ;'a b' ;\"bash -c 'x y' \";<( ;-u a -p ;printf 'A_KEY=%s' ;password: ;auth=(\";token=$(echo ;curl -su a ;> .pgpass ;| tee .netrc ;read TOKEN <<< ";
  it.each([...PUMPS.split(";"), "sh <<a\nb\n"])("takes linear time: %s", (part) => {
    const start = process.cpuUsage();
    redactString(part.repeat(16_384 / part.length));
    // Generous: what is not linear takes minutes.
    expect(workedSince(start)).toBeLessThan(5000);
  });
});
