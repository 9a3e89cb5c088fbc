-- Who may sign in. Roles hold for all machines (group '') or for those of a group.
create table people (
  name text primary key,
  made timestamptz not null,
  made_by text not null,
  gone timestamptz
);
create table roles (
  person text not null references people,
  role text not null check (role in ('admin', 'approver', 'viewer')),
  machines text not null default '',
  primary key (person, role, machines)
);
insert into people (name, made, made_by)
  select distinct person, now(), 'the server' from (select person from admin_links union select person from sessions) as known;
insert into roles (person, role) select name, 'admin' from people;

-- The group that a machine belongs to; '' is none.
alter table machines add column people_group text not null default '';

-- What machines ask. The id and the hash are the machine's own: an answer carries both.
create table questions (
  machine text not null references machines,
  id text not null,
  request bytea not null check (octet_length(request) = 32),
  asked timestamptz not null,
  expires timestamptz not null,
  -- How many people have to say yes.
  people integer not null check (people in (1, 2)),
  -- What is shown, as the machine wrote it (JSON).
  about text not null,
  state text not null default 'waiting' check (state in ('waiting', 'allowed', 'refused', 'withdrawn')),
  decided timestamptz,
  -- What the machine did with the answer.
  became text check (became in ('applied', 'late', 'refused')),
  primary key (machine, id)
);
create index questions_waiting on questions (asked) where state = 'waiting';
create index questions_to_tell on questions (machine) where state in ('allowed', 'refused') and became is null;

create table answers (
  machine text not null,
  question text not null,
  person text not null,
  answer text not null check (answer in ('allow', 'deny')),
  note text,
  at timestamptz not null,
  primary key (machine, question, person),
  foreign key (machine, question) references questions (machine, id)
);
