-- When a machine was heard last, and what it says of itself: whose it is. Its version is then the one that it has now.
alter table machines
  add column user_name text,
  add column last_seen timestamptz;
alter table enrolments add column user_name text;
