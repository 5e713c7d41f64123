import type { WholeCarrier } from '@patchbay/contract/carriers-with-gateways'
import { classifyHost, parseSipProxy } from '@patchbay/contract/shared/addresses'
import { dtmfTypes, type TrunkType } from '@patchbay/contract/shared/gateways'
import { voipCarrierLengths as lengths } from '@patchbay/contract/voip-carriers/record'
import { maskPassword } from '@patchbay/rules/masking/masking'
import type { ApiError } from '../../../api/api-error.ts'
import { alwaysRefused } from '../../../form/change-resolver.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import { maxText, requiredText, trimmedText, z } from '../../../zod.ts'
import {
  newSipGateway,
  sipGatewayValues,
  smppGatewayValues,
  toSipGatewayValues,
  toSmppGatewayValues,
  validateSipGateways,
  validateSmppGateways,
} from './gateways.ts'

/** Values of the carrier form and their conversion from and to the API. */

/** A shorter prefix does not identify the calls of a carrier. */
export const minTechPrefixLength = 3

const fields = z.object({
  name: requiredText(lengths.name, 'Enter a name'),
  description: trimmedText(lengths.description),
  is_active: z.boolean(),
  account_sid: z.string(),
  application_sid: z.string(),
  e164_leading_plus: z.boolean(),
  dtmf_type: z.enum(dtmfTypes),
  register_username: trimmedText(lengths.register_username),
  register_password: z.string().check(maxText(lengths.register_password)),
  requires_register: z.boolean(),
  register_sip_realm: trimmedText(lengths.register_sip_realm),
  register_from_user: trimmedText(lengths.register_from_user),
  register_from_domain: trimmedText(lengths.register_from_domain),
  register_public_ip_in_contact: z.boolean(),
  inbound_auth_username: trimmedText(lengths.inbound_auth_username),
  inbound_auth_password: z.string().check(maxText(lengths.inbound_auth_password)),
  tech_prefix: trimmedText(lengths.tech_prefix),
  diversion: trimmedText(lengths.diversion),
  outbound_sip_proxy: trimmedText(lengths.outbound_sip_proxy),
  sip_gateways: z.array(sipGatewayValues),
  smpp_system_id: trimmedText(lengths.smpp_system_id),
  smpp_password: z.string().check(maxText(lengths.smpp_password)),
  smpp_inbound_system_id: trimmedText(lengths.smpp_inbound_system_id),
  smpp_inbound_password: z.string().check(maxText(lengths.smpp_inbound_password)),
  smpp_gateways: z.array(smppGatewayValues),
})
export type CarrierValues = z.infer<typeof fields>

type Fault = readonly [path: string, message: string]

/** Reports a user name without a password, or a password without a user name. */
const validateCredentials = (
  username: keyof CarrierValues,
  password: keyof CarrierValues,
  values: CarrierValues,
): Fault[] => {
  if (Boolean(values[username]) === Boolean(values[password])) return []
  return values[username]
    ? [[password, 'Enter the password that belongs to this user name']]
    : [[username, 'Enter the user name that belongs to this password']]
}

const validateRegistration = (values: CarrierValues): Fault[] => {
  const { requires_register, register_sip_realm: realm, register_from_domain: domain } = values
  if (!requires_register) return validateCredentials('register_username', 'register_password', values)
  const host = 'Enter a domain name or an IP address'
  return [
    ...(values.register_username ? [] : [['register_username', 'To register, enter a user name'] as const]),
    ...(values.register_password ? [] : [['register_password', 'To register, enter a password'] as const]),
    ...(realm ? [] : [['register_sip_realm', 'To register, enter the SIP realm'] as const]),
    ...(realm && classifyHost(realm) === 'invalid' ? [['register_sip_realm', host] as const] : []),
    ...(domain && classifyHost(domain) === 'invalid' ? [['register_from_domain', host] as const] : []),
  ]
}

/** Returns true if the carrier needs a gateway. Calls of a carrier that authenticates can come from any address. */
const isMissingGateway = ({ sip_gateways, inbound_auth_username }: CarrierValues): boolean =>
  sip_gateways.length === 0 && inbound_auth_username === ''

const validateSmpp = (values: CarrierValues): Fault[] => {
  const { smpp_gateways, smpp_system_id, smpp_password, smpp_inbound_password } = values
  const sends = smpp_gateways.some(({ outbound }) => outbound)
  const whitelists = smpp_gateways.some(({ inbound }) => inbound)
  return [
    ...((smpp_system_id || smpp_password) && !sends
      ? [['smpp_gateways', 'You must provide at least one Outbound Gateway.'] as const]
      : []),
    ...(whitelists && !smpp_inbound_password
      ? [['smpp_inbound_password', 'Enter a password: addresses are whitelisted'] as const]
      : []),
  ]
}

const validateCarrier = (values: CarrierValues): Fault[] => [
  ...validateRegistration(values),
  ...validateCredentials('inbound_auth_username', 'inbound_auth_password', values),
  ...(values.tech_prefix && values.tech_prefix.length < minTechPrefixLength
    ? [['tech_prefix', `Use at least ${minTechPrefixLength} characters`] as const]
    : []),
  ...(values.outbound_sip_proxy && parseSipProxy(normalizeProxy(values)) === undefined
    ? [['outbound_sip_proxy', 'Please provide a valid SIP Proxy domain or IP address.'] as const]
    : []),
  ...validateSipGateways(values.sip_gateways).map(
    ({ index, field, message }): Fault => [`sip_gateways.${index}.${field}`, message],
  ),
  ...validateSmppGateways(values.smpp_gateways).map(
    ({ index, field, message }): Fault => [`smpp_gateways.${index}.${field}`, message],
  ),
  ...validateSmpp(values),
]

const toPath = (field: string): (string | number)[] =>
  field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))

export const carrierValues = fields.check(({ value, issues }) => {
  // With `continue`, rules that are added to these run too, so that the form shows all errors at once.
  for (const [field, message] of validateCarrier(value))
    issues.push({ code: 'custom', input: '', path: toPath(field), message, continue: true })
  if (isMissingGateway(value))
    issues.push({
      code: 'custom',
      input: '',
      path: ['sip_gateways'],
      message: 'You must provide at least one SIP Gateway.',
      params: alwaysRefused,
      continue: true,
    })
})

export const emptyCarrier: CarrierValues = {
  name: '',
  description: '',
  is_active: true,
  account_sid: '',
  application_sid: '',
  e164_leading_plus: false,
  dtmf_type: 'rfc2833',
  register_username: '',
  register_password: '',
  requires_register: false,
  register_sip_realm: '',
  register_from_user: '',
  register_from_domain: '',
  register_public_ip_in_contact: false,
  inbound_auth_username: '',
  inbound_auth_password: '',
  tech_prefix: '',
  diversion: '',
  outbound_sip_proxy: '',
  sip_gateways: [newSipGateway],
  smpp_system_id: '',
  smpp_password: '',
  smpp_inbound_system_id: '',
  smpp_inbound_password: '',
  smpp_gateways: [],
}

/** Masks a secret again, because the upstream jambonz server returns whole passwords. */
const toMask = (secret: string | null): string => maskPassword(secret ?? '')

export const toFormValues = ({ carrier, sip_gateways, smpp_gateways }: WholeCarrier): CarrierValues => ({
  name: carrier.name,
  description: carrier.description ?? '',
  is_active: Boolean(carrier.is_active),
  account_sid: carrier.account_sid ?? '',
  application_sid: carrier.application_sid ?? '',
  e164_leading_plus: Boolean(carrier.e164_leading_plus),
  dtmf_type: carrier.dtmf_type,
  register_username: carrier.register_username ?? '',
  register_password: toMask(carrier.register_password),
  requires_register: Boolean(carrier.requires_register),
  register_sip_realm: carrier.register_sip_realm ?? '',
  register_from_user: carrier.register_from_user ?? '',
  register_from_domain: carrier.register_from_domain ?? '',
  register_public_ip_in_contact: Boolean(carrier.register_public_ip_in_contact),
  inbound_auth_username: carrier.inbound_auth_username ?? '',
  inbound_auth_password: toMask(carrier.inbound_auth_password),
  tech_prefix: carrier.tech_prefix ?? '',
  diversion: carrier.diversion ?? '',
  outbound_sip_proxy: carrier.outbound_sip_proxy ?? '',
  sip_gateways: sip_gateways.map(toSipGatewayValues),
  smpp_system_id: carrier.smpp_system_id ?? '',
  smpp_password: toMask(carrier.smpp_password),
  smpp_inbound_system_id: carrier.smpp_inbound_system_id ?? '',
  smpp_inbound_password: toMask(carrier.smpp_inbound_password),
  smpp_gateways: smpp_gateways.map(toSmppGatewayValues),
})

/** Sorts gateways by their position in the form, so that a different order does not count as a change. */
const sortLike = <Row>(rows: readonly Row[], formRows: readonly Row[], getSid: (row: Row) => string): Row[] => {
  const indexBySid = new Map(formRows.map((row, index) => [getSid(row), index]))
  const indexInForm = (row: Row) => indexBySid.get(getSid(row)) ?? formRows.length
  return [...rows].sort((one, other) => indexInForm(one) - indexInForm(other))
}

export const orderLike = (values: CarrierValues, formValues: CarrierValues): CarrierValues => ({
  ...values,
  sip_gateways: sortLike(values.sip_gateways, formValues.sip_gateways, ({ sip_gateway_sid }) => sip_gateway_sid),
  smpp_gateways: sortLike(values.smpp_gateways, formValues.smpp_gateways, ({ smpp_gateway_sid }) => smpp_gateway_sid),
})

const normalizeProxy = ({ outbound_sip_proxy }: CarrierValues): string => outbound_sip_proxy.replaceAll(/\s/g, '')

/** Derives the trunk type in the same way as other consoles for jambonz. */
const trunkType = ({ requires_register, inbound_auth_username }: CarrierValues): TrunkType =>
  requires_register ? 'reg' : inbound_auth_username ? 'auth' : 'static_ip'

type NullIfEmpty<Values> = {
  [Name in keyof Values]: string extends Values[Name] ? string | null : Values[Name]
}

const toNullIfEmpty = <Values extends object>(values: Values): NullIfEmpty<Values> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => [name, value === '' ? null : value]),
  ) as NullIfEmpty<Values>

/** Returns the fields of the carrier itself, for creation and updates. Empty texts become null. */
export const toCarrierPayload = (values: CarrierValues) => {
  const { sip_gateways: _sip, smpp_gateways: _smpp, name, ...rest } = values
  const { register_from_user, register_from_domain, register_public_ip_in_contact, ...carrier } = rest
  // These fields apply to registration only. They are not sent otherwise, so that the server keeps them for a later
  // registration.
  const registrationFields = values.requires_register
    ? { register_from_user, register_from_domain, register_public_ip_in_contact }
    : {}
  return {
    ...toNullIfEmpty({ ...carrier, ...registrationFields, outbound_sip_proxy: normalizeProxy(values) }),
    name,
    trunk_type: trunkType(values),
  }
}

const addresses = (rows: unknown): string =>
  Array.isArray(rows)
    ? (rows as { ipv4: string; port: string }[]).map(({ ipv4, port }) => `${ipv4}:${port}`).join('\n')
    : ''

/** Formats gateways for the message about conflicting edits. */
export const gatewayFormatters = { sip_gateways: addresses, smpp_gateways: addresses }

const isField = (field: string): boolean => field in emptyCarrier || /^(?:sip|smpp)_gateways\.\d+\.\w+$/.test(field)

/** Assigns an error of the server to the form field that it names. */
export const carrierFieldErrors = ({ field = '', message, detail }: ApiError): FieldErrors<CarrierValues> =>
  isField(field) ? { [field]: detail ?? message } : {}
