-- Passkeys that people registered. Which of them may sign says the policy, not this table.
create table passkeys (
  -- The credential's id, base64url.
  id text primary key,
  person text not null references people,
  -- What its person calls it.
  name text not null,
  -- SubjectPublicKeyInfo, base64url.
  key text not null unique,
  made timestamptz not null
);
create index passkeys_person on passkeys (person);

-- A registration that has begun in a session; it ends once.
create table begun_passkeys (
  session bytea primary key references sessions (hash) on delete cascade,
  challenge text not null,
  expires timestamptz not null
);

-- Which passkeys a question demands (JSON), and what the one of who said yes signed (JSON).
alter table questions add column passkeys text;
alter table answers add column proof text;
