-- False: its person might answer no longer when the question was decided.
alter table answers add column counted boolean not null default true;
