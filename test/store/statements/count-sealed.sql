select encode(substr(decode(translate(left(secret, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from scim_secrets
where secret is not null
group by 1
order by 1;

select encode(substr(decode(translate(left(scim_secret, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from all_directories
where scim_secret is not null
group by 1
order by 1;

select encode(substr(decode(translate(left(secret, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from webhook_secrets
where secret is not null
group by 1
order by 1;

select encode(substr(decode(translate(left(sealed_url, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from webhook_endpoints
where sealed_url is not null
group by 1
order by 1;

select encode(substr(decode(translate(left(sealed_url, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from webhook_attempts
where sealed_url is not null
group by 1
order by 1;

select encode(substr(decode(translate(left(google_access_token, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from all_directories
where google_access_token is not null
group by 1
order by 1;

select encode(substr(decode(translate(left(google_refresh_token, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from all_directories
where google_refresh_token is not null
group by 1
order by 1;

select encode(substr(decode(translate(left(google_service_account, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from all_directories
where google_service_account is not null
group by 1
order by 1;

select encode(substr(decode(translate(left(provider_users_link, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from all_directories
where provider_users_link is not null
group by 1
order by 1;

select encode(substr(decode(translate(left(provider_groups_link, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from all_directories
where provider_groups_link is not null
group by 1
order by 1;

select encode(substr(decode(translate(left(users_link, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from sync_runs
where users_link is not null
group by 1
order by 1;

select encode(substr(decode(translate(left(groups_link, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from sync_runs
where groups_link is not null
group by 1
order by 1;

select encode(substr(decode(translate(left(code_verifier, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from authorization_requests
where code_verifier is not null
group by 1
order by 1;

select encode(substr(decode(translate(left(sealed, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') as key_id, count(*) as count
from setup_links
where sealed is not null
group by 1
order by 1;

select encode(substr(sealed, 2, 4), 'hex') as key_id, count(*) as count
from staged_mutations
where sealed is not null
group by 1
order by 1;
