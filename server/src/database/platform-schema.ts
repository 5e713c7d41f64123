import { planTypes } from '@patchbay/contract/accounts'
import { accountLengths, bucketLengths } from '@patchbay/contract/accounts/record'
import { applicationLengths } from '@patchbay/contract/applications/record'
import { clientLengths } from '@patchbay/contract/clients/record'
import { googleCustomVoiceLengths } from '@patchbay/contract/google-custom-voices/record'
import { lcrRouteLengths } from '@patchbay/contract/lcr-routes/record'
import { lcrLengths } from '@patchbay/contract/lcrs/record'
import { limitCategories } from '@patchbay/contract/limits/quantities'
import { msTeamsTenantLengths } from '@patchbay/contract/ms-teams-tenants/record'
import { phoneNumberLengths } from '@patchbay/contract/phone-numbers/record'
import { platformAddressLengths } from '@patchbay/contract/platform-addresses/record'
import { serviceProviderLengths } from '@patchbay/contract/service-providers/record'
import { dtmfTypes, sipProtocols, trunkTypes } from '@patchbay/contract/shared/gateways'
import { gatewayLengths } from '@patchbay/contract/sip-gateways/record'
import { speechCredentialLengths } from '@patchbay/contract/speech-credentials/record'
import { systemInformationLengths } from '@patchbay/contract/system-information/record'
import { userLengths } from '@patchbay/contract/users/record'
import { voipCarrierLengths } from '@patchbay/contract/voip-carriers/record'
import { webhookLengths } from '@patchbay/contract/webhooks/record'
import { hookMethods } from '@patchbay/contract/webhooks/webhooks'
import {
  dateTime,
  enumColumn,
  exactText,
  flag,
  integer,
  longText,
  now,
  optional,
  orNull,
  primary,
  references,
  sid,
  table,
  text,
  timestamp,
  unique,
  withDefault,
} from './columns.ts'

/**
 * The tables of jambonz, with its names, types, and keys (docs/reference/platform-api/database.md), so that Patchbay
 * can use an existing jambonz database and the other components of jambonz can read Patchbay's. Tables and columns that
 * some installations lack are marked optional.
 */

const to = (parent: string) => references(sid(), parent)
const maybeTo = (parent: string) => orNull(to(parent))
const ownedBy = (parent: string) => references(sid(), parent, { cascade: true })
const off = () => withDefault(flag(), 0)
const on = () => withDefault(flag(), 1)
const maybe = (max: number) => orNull(text(max))

const limitCategory = () => enumColumn(...limitCategories)
const trunkType = () => withDefault(enumColumn(...trunkTypes), 'static_ip')
const protocol = () => withDefault(enumColumn(...sipProtocols), 'udp')

export const platformTables = {
  webhooks: table({
    webhook_sid: primary(sid()),
    url: text(webhookLengths.url),
    method: withDefault(enumColumn(...hookMethods), 'POST'),
    username: maybe(webhookLengths.username),
    password: orNull(exactText(webhookLengths.password)),
  }),
  service_providers: table({
    service_provider_sid: primary(sid()),
    name: unique(text(serviceProviderLengths.name)),
    description: maybe(serviceProviderLengths.description),
    root_domain: unique(maybe(serviceProviderLengths.root_domain)),
    registration_hook_sid: maybeTo('webhooks'),
    ms_teams_fqdn: maybe(serviceProviderLengths.ms_teams_fqdn),
  }),
  accounts: table(
    {
      account_sid: primary(sid()),
      name: text(accountLengths.name),
      sip_realm: unique(maybe(accountLengths.sip_realm)),
      service_provider_sid: to('service_providers'),
      registration_hook_sid: maybeTo('webhooks'),
      queue_event_hook_sid: maybeTo('webhooks'),
      device_calling_application_sid: maybeTo('applications'),
      is_active: on(),
      created_at: withDefault(dateTime(), now),
      plan_type: withDefault(enumColumn(...planTypes), 'trial'),
      stripe_customer_id: maybe(56),
      webhook_secret: exactText(accountLengths.webhook_secret),
      disable_cdrs: off(),
      trial_end_date: orNull(dateTime()),
      deactivated_reason: maybe(accountLengths.deactivated_reason),
      device_to_call_ratio: withDefault(integer(), 5),
      subspace_client_id: maybe(accountLengths.subspace),
      subspace_client_secret: maybe(accountLengths.subspace),
      subspace_sip_teleport_id: maybe(accountLengths.subspace),
      subspace_sip_teleport_destinations: maybe(accountLengths.subspace),
      siprec_hook_sid: maybeTo('applications'),
      record_all_calls: off(),
      record_format: withDefault(text(16), 'mp3'),
      bucket_credential: orNull(text(bucketLengths.stored)),
      enable_debug_log: off(),
    },
    { indexes: [{ on: ['service_provider_sid', 'name'] }] },
  ),
  applications: table(
    {
      application_sid: primary(sid()),
      name: text(applicationLengths.name),
      service_provider_sid: maybeTo('service_providers'),
      account_sid: maybeTo('accounts'),
      call_hook_sid: maybeTo('webhooks'),
      call_status_hook_sid: maybeTo('webhooks'),
      messaging_hook_sid: optional(maybeTo('webhooks')),
      app_json: orNull(longText()),
      speech_synthesis_vendor: withDefault(text(applicationLengths.speech_synthesis_vendor), 'google'),
      speech_synthesis_language: withDefault(text(applicationLengths.speech_synthesis_language), 'en-US'),
      speech_synthesis_voice: withDefault(maybe(applicationLengths.speech_synthesis_voice), 'en-US-Standard-C'),
      speech_synthesis_label: maybe(applicationLengths.speech_synthesis_label),
      speech_recognizer_vendor: withDefault(text(applicationLengths.speech_recognizer_vendor), 'google'),
      speech_recognizer_language: withDefault(text(applicationLengths.speech_recognizer_language), 'en-US'),
      speech_recognizer_label: maybe(applicationLengths.speech_recognizer_label),
      use_for_fallback_speech: withDefault(orNull(flag()), 0),
      fallback_speech_synthesis_vendor: maybe(applicationLengths.fallback_speech_synthesis_vendor),
      fallback_speech_synthesis_language: maybe(applicationLengths.fallback_speech_synthesis_language),
      fallback_speech_synthesis_voice: maybe(applicationLengths.fallback_speech_synthesis_voice),
      fallback_speech_synthesis_label: maybe(applicationLengths.fallback_speech_synthesis_label),
      fallback_speech_recognizer_vendor: maybe(applicationLengths.fallback_speech_recognizer_vendor),
      fallback_speech_recognizer_language: maybe(applicationLengths.fallback_speech_recognizer_language),
      fallback_speech_recognizer_label: maybe(applicationLengths.fallback_speech_recognizer_label),
      env_vars: orNull(longText()),
      created_at: withDefault(dateTime(), now),
      record_all_calls: off(),
    },
    { indexes: [{ unique: true, on: ['account_sid', 'name'] }, { on: ['service_provider_sid'] }] },
  ),
  users: table(
    {
      user_sid: primary(sid()),
      name: text(userLengths.name),
      email: text(userLengths.email),
      pending_email: maybe(255),
      phone: unique(maybe(20)),
      hashed_password: orNull(exactText(1024)),
      account_sid: maybeTo('accounts'),
      service_provider_sid: maybeTo('service_providers'),
      force_change: off(),
      provider: text(255),
      provider_userid: maybe(255),
      scope: withDefault(text(16), 'read-write'),
      phone_activation_code: maybe(16),
      email_activation_code: maybe(userLengths.email_activation_code),
      email_validated: off(),
      phone_validated: off(),
      email_content_opt_out: off(),
      is_active: on(),
    },
    {
      indexes: [
        { on: ['name'] },
        { on: ['email'] },
        { on: ['account_sid'] },
        { on: ['service_provider_sid'] },
        { on: ['email_activation_code'] },
      ],
    },
  ),
  permissions: table({
    permission_sid: primary(sid()),
    name: unique(text(32)),
    description: maybe(255),
  }),
  user_permissions: table(
    {
      user_permissions_sid: primary(sid()),
      user_sid: ownedBy('users'),
      permission_sid: to('permissions'),
    },
    { indexes: [{ on: ['user_sid'] }] },
  ),
  password_settings: table({
    min_password_length: withDefault(integer(), 8),
    require_digit: off(),
    require_special_character: off(),
  }),
  system_information: table({
    domain_name: maybe(systemInformationLengths.domain_name),
    sip_domain_name: maybe(systemInformationLengths.sip_domain_name),
    monitoring_domain_name: maybe(systemInformationLengths.monitoring_domain_name),
    private_network_cidr: maybe(systemInformationLengths.private_network_cidr),
    log_level: withDefault(enumColumn('info', 'debug'), 'info'),
  }),
  api_keys: table(
    {
      api_key_sid: primary(sid()),
      token: unique(sid()),
      account_sid: maybeTo('accounts'),
      service_provider_sid: maybeTo('service_providers'),
      expires_at: orNull(timestamp()),
      last_used: orNull(timestamp()),
      created_at: withDefault(orNull(timestamp()), now),
    },
    { indexes: [{ on: ['account_sid'] }, { on: ['service_provider_sid'] }] },
  ),
  account_limits: table(
    {
      account_limits_sid: primary(sid()),
      account_sid: ownedBy('accounts'),
      category: limitCategory(),
      quantity: integer(),
    },
    { indexes: [{ on: ['account_sid'] }] },
  ),
  service_provider_limits: table(
    {
      service_provider_limits_sid: primary(sid()),
      service_provider_sid: ownedBy('service_providers'),
      category: limitCategory(),
      quantity: integer(),
    },
    { indexes: [{ on: ['service_provider_sid'] }] },
  ),
  voip_carriers: table(
    {
      voip_carrier_sid: primary(sid()),
      name: text(voipCarrierLengths.name),
      description: maybe(voipCarrierLengths.description),
      account_sid: maybeTo('accounts'),
      service_provider_sid: maybeTo('service_providers'),
      application_sid: maybeTo('applications'),
      e164_leading_plus: off(),
      requires_register: off(),
      register_username: maybe(voipCarrierLengths.register_username),
      register_sip_realm: maybe(voipCarrierLengths.register_sip_realm),
      register_password: orNull(exactText(voipCarrierLengths.register_password)),
      tech_prefix: maybe(voipCarrierLengths.tech_prefix),
      inbound_auth_username: maybe(voipCarrierLengths.inbound_auth_username),
      inbound_auth_password: orNull(exactText(voipCarrierLengths.inbound_auth_password)),
      diversion: maybe(voipCarrierLengths.diversion),
      is_active: on(),
      created_at: withDefault(dateTime(), now),
      smpp_system_id: optional(maybe(voipCarrierLengths.smpp_system_id)),
      smpp_password: optional(orNull(exactText(voipCarrierLengths.smpp_password))),
      smpp_enquire_link_interval: optional(withDefault(orNull(integer()), 0)),
      smpp_inbound_system_id: optional(maybe(voipCarrierLengths.smpp_inbound_system_id)),
      smpp_inbound_password: optional(orNull(exactText(voipCarrierLengths.smpp_inbound_password))),
      register_from_user: maybe(voipCarrierLengths.register_from_user),
      register_from_domain: maybe(voipCarrierLengths.register_from_domain),
      register_public_ip_in_contact: off(),
      register_status: maybe(4096),
      dtmf_type: withDefault(enumColumn(...dtmfTypes), 'rfc2833'),
      outbound_sip_proxy: maybe(voipCarrierLengths.outbound_sip_proxy),
      trunk_type: trunkType(),
    },
    { indexes: [{ on: ['account_sid'] }, { on: ['service_provider_sid', 'name'] }] },
  ),
  sip_gateways: table(
    {
      sip_gateway_sid: primary(sid()),
      ipv4: text(gatewayLengths.ipv4),
      netmask: withDefault(integer(), 32),
      port: orNull(integer()),
      inbound: flag(),
      outbound: flag(),
      voip_carrier_sid: to('voip_carriers'),
      is_active: on(),
      send_options_ping: off(),
      use_sips_scheme: off(),
      pad_crypto: off(),
      protocol: orNull(protocol()),
      remove_ice: optional(off()),
      dtls_off: optional(off()),
    },
    {
      indexes: [
        { on: ['ipv4', 'port'] },
        { on: ['inbound', 'voip_carrier_sid'] },
        { on: ['inbound', 'netmask', 'ipv4'] },
        { on: ['voip_carrier_sid'] },
      ],
    },
  ),
  smpp_gateways: table(
    {
      smpp_gateway_sid: primary(sid()),
      ipv4: text(gatewayLengths.ipv4),
      port: withDefault(integer(), 2775),
      netmask: withDefault(integer(), 32),
      is_primary: on(),
      inbound: off(),
      outbound: on(),
      use_tls: withDefault(orNull(flag()), 0),
      voip_carrier_sid: to('voip_carriers'),
    },
    { optional: true, indexes: [{ on: ['voip_carrier_sid'] }] },
  ),
  phone_numbers: table(
    {
      phone_number_sid: primary(sid()),
      number: text(phoneNumberLengths.number),
      voip_carrier_sid: maybeTo('voip_carriers'),
      account_sid: maybeTo('accounts'),
      application_sid: maybeTo('applications'),
      service_provider_sid: maybeTo('service_providers'),
    },
    {
      indexes: [
        { unique: true, on: ['number', 'voip_carrier_sid'] },
        { on: ['account_sid'] },
        { on: ['application_sid'] },
        { on: ['voip_carrier_sid'] },
      ],
    },
  ),
  ms_teams_tenants: table(
    {
      ms_teams_tenant_sid: primary(sid()),
      service_provider_sid: to('service_providers'),
      account_sid: to('accounts'),
      application_sid: maybeTo('applications'),
      tenant_fqdn: unique(text(msTeamsTenantLengths.tenant_fqdn)),
    },
    { indexes: [{ on: ['account_sid'] }, { on: ['service_provider_sid'] }] },
  ),
  lcr: table(
    {
      lcr_sid: primary(sid()),
      name: maybe(lcrLengths.name),
      is_active: on(),
      default_carrier_set_entry_sid: maybeTo('lcr_carrier_set_entry'),
      service_provider_sid: orNull(sid()),
      account_sid: orNull(sid()),
    },
    { indexes: [{ on: ['service_provider_sid'] }, { on: ['account_sid'] }] },
  ),
  lcr_routes: table(
    {
      lcr_route_sid: primary(sid()),
      lcr_sid: to('lcr'),
      regex: text(lcrRouteLengths.regex),
      description: maybe(lcrRouteLengths.description),
      priority: integer(),
    },
    { indexes: [{ on: ['lcr_sid'] }] },
  ),
  lcr_carrier_set_entry: table(
    {
      lcr_carrier_set_entry_sid: primary(sid()),
      workload: withDefault(integer(), 1),
      lcr_route_sid: to('lcr_routes'),
      voip_carrier_sid: to('voip_carriers'),
      priority: withDefault(integer(), 0),
    },
    { indexes: [{ on: ['lcr_route_sid'] }, { on: ['voip_carrier_sid'] }] },
  ),
  clients: table(
    {
      client_sid: primary(sid()),
      account_sid: to('accounts'),
      is_active: on(),
      username: maybe(clientLengths.username),
      password: orNull(exactText(clientLengths.stored)),
      allow_direct_app_calling: on(),
      allow_direct_queue_calling: on(),
      allow_direct_user_calling: on(),
    },
    { indexes: [{ on: ['account_sid'] }] },
  ),
  sbc_addresses: table(
    {
      sbc_address_sid: primary(sid()),
      ipv4: text(platformAddressLengths.ipv4),
      port: withDefault(integer(), 5060),
      tls_port: orNull(integer()),
      wss_port: orNull(integer()),
      service_provider_sid: maybeTo('service_providers'),
      last_updated: orNull(dateTime()),
    },
    { indexes: [{ on: ['ipv4', 'port'] }] },
  ),
  smpp_addresses: table(
    {
      smpp_address_sid: primary(sid()),
      ipv4: text(platformAddressLengths.ipv4),
      port: withDefault(integer(), 5060),
      use_tls: off(),
      is_primary: on(),
      service_provider_sid: maybeTo('service_providers'),
    },
    { optional: true },
  ),
  predefined_carriers: table({
    predefined_carrier_sid: primary(sid()),
    name: text(64),
    requires_static_ip: off(),
    e164_leading_plus: off(),
    requires_register: off(),
    register_username: maybe(64),
    register_sip_realm: maybe(64),
    register_password: maybe(64),
    tech_prefix: maybe(16),
    inbound_auth_username: maybe(64),
    inbound_auth_password: maybe(64),
    diversion: maybe(32),
    trunk_type: trunkType(),
  }),
  predefined_sip_gateways: table(
    {
      predefined_sip_gateway_sid: primary(sid()),
      ipv4: text(128),
      port: withDefault(integer(), 5060),
      inbound: flag(),
      outbound: flag(),
      netmask: withDefault(integer(), 32),
      predefined_carrier_sid: to('predefined_carriers'),
    },
    { indexes: [{ on: ['predefined_carrier_sid'] }] },
  ),
  predefined_smpp_gateways: table(
    {
      predefined_smpp_gateway_sid: primary(sid()),
      ipv4: text(128),
      port: withDefault(integer(), 2775),
      inbound: flag(),
      outbound: flag(),
      netmask: withDefault(integer(), 32),
      is_primary: on(),
      use_tls: withDefault(orNull(flag()), 0),
      predefined_carrier_sid: to('predefined_carriers'),
    },
    { optional: true, indexes: [{ on: ['predefined_carrier_sid'] }] },
  ),
  call_routes: table(
    {
      call_route_sid: primary(sid()),
      priority: integer(),
      account_sid: to('accounts'),
      regex: text(255),
      application_sid: to('applications'),
    },
    { indexes: [{ on: ['account_sid'] }, { on: ['application_sid'] }] },
  ),
  dns_records: table(
    {
      dns_record_sid: primary(sid()),
      account_sid: to('accounts'),
      record_type: text(6),
      record_id: integer(),
    },
    { indexes: [{ on: ['account_sid'] }] },
  ),
  speech_credentials: table(
    {
      speech_credential_sid: primary(sid()),
      service_provider_sid: maybeTo('service_providers'),
      account_sid: maybeTo('accounts'),
      vendor: text(speechCredentialLengths.vendor),
      credential: text(speechCredentialLengths.stored),
      use_for_tts: withDefault(orNull(flag()), 1),
      use_for_stt: withDefault(orNull(flag()), 1),
      last_used: orNull(dateTime()),
      last_tested: orNull(dateTime()),
      tts_tested_ok: orNull(flag()),
      stt_tested_ok: orNull(flag()),
      created_at: withDefault(dateTime(), now),
      label: maybe(speechCredentialLengths.label),
    },
    { indexes: [{ on: ['service_provider_sid'] }, { on: ['account_sid'] }] },
  ),
  google_custom_voices: table(
    {
      google_custom_voice_sid: primary(sid()),
      speech_credential_sid: ownedBy('speech_credentials'),
      model: text(googleCustomVoiceLengths.model),
      reported_usage: withDefault(orNull(enumColumn('REPORTED_USAGE_UNSPECIFIED', 'REALTIME', 'OFFLINE')), 'REALTIME'),
      name: text(googleCustomVoiceLengths.name),
      voice_cloning_key: orNull(longText()),
      use_voice_cloning_key: withDefault(orNull(flag()), 0),
    },
    { indexes: [{ on: ['speech_credential_sid'] }] },
  ),
  products: table({
    product_sid: primary(sid()),
    name: text(32),
    category: enumColumn('api_rate', 'voice_call_session', 'device'),
  }),
  account_subscriptions: table(
    {
      account_subscription_sid: primary(sid()),
      account_sid: to('accounts'),
      pending: off(),
      effective_start_date: withDefault(dateTime(), now),
      effective_end_date: orNull(dateTime()),
      change_reason: maybe(255),
      stripe_subscription_id: maybe(56),
      stripe_payment_method_id: maybe(56),
      stripe_statement_descriptor: maybe(255),
      last4: maybe(512),
      exp_month: orNull(integer()),
      exp_year: orNull(integer()),
      card_type: maybe(16),
      pending_reason: maybe(52),
    },
    { indexes: [{ on: ['account_sid'] }] },
  ),
  account_products: table(
    {
      account_product_sid: primary(sid()),
      account_subscription_sid: to('account_subscriptions'),
      product_sid: to('products'),
      quantity: integer(),
    },
    { indexes: [{ on: ['account_subscription_sid'] }] },
  ),
  account_offers: table(
    {
      account_offer_sid: primary(sid()),
      account_sid: to('accounts'),
      product_sid: to('products'),
      stripe_product_id: text(56),
    },
    { indexes: [{ on: ['account_sid'] }] },
  ),
  account_static_ips: table(
    {
      account_static_ip_sid: primary(sid()),
      account_sid: to('accounts'),
      public_ipv4: unique(text(16)),
      private_ipv4: unique(orNull(text(16))),
    },
    { indexes: [{ on: ['account_sid'] }] },
  ),
  beta_invite_codes: table({ invite_code: primary(text(6)), in_use: off() }),
  signup_history: table({
    email: primary(text(255)),
    name: maybe(255),
    signed_up_at: withDefault(orNull(dateTime()), now),
  }),
  schema_version: table({ version: maybe(16) }),
}
