-- One organisation for each database.
create table organisation (
  singleton boolean primary key default true check (singleton),
  id text not null,
  founded timestamptz not null default now()
);

create table machines (
  id text primary key,
  name text not null,
  platform text not null,
  version text not null,
  -- SHA-256 of its token; none once it has left.
  token_hash bytea unique,
  joined timestamptz not null default now(),
  confirmed_by text not null,
  gone timestamptz
);

-- The truth of the log. What extends a head is taken, once: the row is held for update meanwhile.
create table chain_heads (
  machine text not null references machines,
  epoch integer not null check (epoch > 0),
  seq bigint not null default 0 check (seq >= 0),
  hash bytea not null check (octet_length(hash) = 32),
  begun timestamptz not null default now(),
  primary key (machine, epoch)
);

-- A partition for each month in which records came. A key that was unique over all of them would have to hold the clock; that nothing
-- is taken twice is the business of chain_heads.
create table log (
  received timestamptz not null,
  machine text not null,
  epoch integer not null,
  seq bigint not null,
  hash bytea not null,
  body_hash bytea not null,
  -- Both are erased together.
  salt bytea,
  body text,
  -- What the record says of itself.
  time timestamptz,
  verdict text,
  agent text,
  tool text,
  primary key (machine, epoch, seq, received),
  check ((salt is null) = (body is null))
) partition by range (received);
create index log_received on log (received);

-- Other records under numbers that were taken already.
create table log_forks (
  machine text not null references machines,
  epoch integer not null,
  seq bigint not null,
  hash bytea not null,
  body_hash bytea not null,
  salt bytea,
  body text,
  received timestamptz not null default now(),
  primary key (machine, epoch, seq, hash)
);

-- Where the chain goes on once a month was dropped.
create table checkpoints (
  month date not null,
  machine text not null references machines,
  epoch integer not null,
  first_seq bigint not null,
  seq bigint not null,
  hash bytea not null,
  made timestamptz not null,
  key_id text not null,
  signature bytea not null,
  primary key (machine, epoch, seq)
);

-- What the server signs its checkpoints with. Policies are signed by a key that it does not hold.
create table server_keys (
  id text primary key,
  private_key text not null,
  public_key text not null,
  made timestamptz not null default now()
);
