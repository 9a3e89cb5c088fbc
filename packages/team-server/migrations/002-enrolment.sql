-- Machines that ask to be let in. The id becomes the machine's.
create table enrolments (
  id text primary key,
  secret_hash bytea not null,
  code_hash bytea not null unique,
  name text not null,
  platform text not null,
  version text not null,
  address text not null,
  started timestamptz not null,
  expires timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'confirmed', 'refused')),
  decided_by text
);
create index enrolments_expires on enrolments (expires);

-- Links made on the server, for one sign-in each.
create table admin_links (
  hash bytea primary key,
  person text not null,
  expires timestamptz not null,
  used timestamptz
);

create table sessions (
  hash bytea primary key,
  person text not null,
  expires timestamptz not null
);

-- What administrators did.
create table admin_events (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  person text not null,
  what text not null,
  machine text
);
