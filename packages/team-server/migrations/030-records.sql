-- What one machine sent on a day (UTC), so that a limit holds over all processes.
create table machine_usage (
  machine text not null references machines,
  day date not null,
  records bigint not null,
  bytes bigint not null,
  primary key (machine, day)
);
-- What was not simply allowed is looked for most, and is little.
create index log_not_allowed on log (received) where verdict is distinct from 'allow';
