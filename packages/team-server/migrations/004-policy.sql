-- Machines are in groups; each group has versions of a policy of its own.
alter table enrolments add column grp text not null default 'default';
alter table machines
  add column grp text not null default 'default',
  -- What the machine says that it has.
  add column policy_version integer,
  add column policy_hash bytea,
  add column policy_problem text,
  add column policy_asked timestamptz;
create index machines_grp on machines (grp) where gone is null;

-- Public keys, in the order in which each followed the one before it. The private ones are nowhere near.
create table policy_keys (
  seq integer generated always as identity primary key,
  id text not null unique,
  public_key text not null unique,
  -- How the key before it said so, signed by both; none of the first.
  change text,
  added timestamptz not null,
  added_by text not null
);

create table policy_versions (
  grp text not null,
  version integer not null check (version > 0),
  hash bytea not null,
  key_id text not null references policy_keys (id),
  -- With its signature, as it came.
  signed text not null,
  pushed timestamptz not null,
  -- Released to so many machines of a hundred; none: not yet.
  percent integer check (percent between 0 and 100),
  primary key (grp, version)
);

create table policy_events (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  -- A key by its id, or a person.
  by text not null,
  what text not null,
  grp text,
  version integer,
  percent integer
);
-- A command of the key counts once, and none that is older than another.
alter table organisation add column policy_command timestamptz;
