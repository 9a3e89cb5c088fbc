-- Keys by which machines of a fleet let themselves in. Only hashes are here.
create table fleet_keys (
  id text primary key,
  hash bytea not null unique,
  name text not null,
  grp text not null,
  uses integer not null check (uses > 0),
  used integer not null default 0 check (used <= uses),
  made timestamptz not null,
  made_by text not null,
  expires timestamptz not null,
  revoked timestamptz
);
alter table machines add column fleet_key text references fleet_keys;
create index machines_fleet_key on machines (fleet_key) where fleet_key is not null;
