-- When its person signed in, as far as that is known: what matters most takes somebody who has just done so.
alter table sessions add column began timestamptz not null default 'epoch';
-- Which session at the provider it came from: a hash of its issuer and its id there.
alter table sessions add column provider_session bytea;
-- That it came from the provider.
alter table sessions add column by_provider boolean not null default false;
create index sessions_of_provider on sessions (provider_session) where provider_session is not null;

-- Tokens by which the provider has ended sessions: each counts once.
create table logout_tokens (
  issuer text not null,
  jti bytea not null,
  expires timestamptz not null,
  primary key (issuer, jti)
);
