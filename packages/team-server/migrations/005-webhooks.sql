-- Where people are told that a question waits. What is told holds nothing of the question.
create table webhooks (
  id text primary key,
  kind text not null check (kind in ('slack', 'ntfy', 'generic')),
  url text not null,
  -- What posts are signed with; they are signed by the server, so it has to have it.
  secret text not null,
  made timestamptz not null,
  made_by text not null,
  last_try timestamptz,
  last_said text
);

-- What is still to be told: a row is there until it was, or was tried often enough.
create table webhook_posts (
  id bigint generated always as identity primary key,
  webhook text not null references webhooks on delete cascade,
  machine text not null,
  agent text,
  made timestamptz not null,
  attempts integer not null default 0,
  next_try timestamptz not null
);
create index webhook_posts_due on webhook_posts (next_try);
