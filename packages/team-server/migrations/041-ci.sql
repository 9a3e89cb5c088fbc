-- Which jobs of a CI may let themselves in, by the tokens that its provider signs.
create table ci_rules (
  id text primary key,
  name text not null,
  issuer text not null,
  audience text not null,
  claims jsonb not null,
  grp text not null,
  minutes integer not null check (minutes between 1 and 1440),
  made timestamptz not null,
  made_by text not null,
  revoked timestamptz
);
create index ci_rules_issuer on ci_rules (issuer) where revoked is null;

-- A machine that a job is, which ends with it.
alter table machines add column ci_rule text references ci_rules;
alter table machines add column expires timestamptz;
create index machines_expires on machines (expires) where gone is null and expires is not null;

-- Tokens that were used: each lets one machine in.
create table ci_tokens (
  issuer text not null,
  jti text not null,
  machine text not null references machines,
  expires timestamptz not null,
  primary key (issuer, jti)
);
create index ci_tokens_expires on ci_tokens (expires);
