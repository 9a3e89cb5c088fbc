-- Who a person is at the provider (OpenID Connect): its issuer and subject, which no other gets. Never a name or an address.
create table provider_people (
  issuer text not null,
  subject text not null,
  person text not null unique references people,
  -- What the provider said when they signed in last counts so long.
  until timestamptz not null,
  primary key (issuer, subject)
);
create table provider_groups (
  person text not null references provider_people (person),
  name text not null,
  primary key (person, name)
);
-- Which of the provider's groups gives which role.
create table provider_roles (
  name text not null,
  role text not null check (role in ('admin', 'approver', 'viewer')),
  machines text not null default '',
  made timestamptz not null,
  made_by text not null,
  primary key (name, role, machines)
);
