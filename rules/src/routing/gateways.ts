import { isIpv4 } from '@patchbay/contract/shared/addresses'
import { singleAddress } from '@patchbay/contract/shared/gateways'

/**
 * Validation of carriers and their gateways, shared by the forms and the server
 * (docs/reference/platform-api/carriers.md#registration-settings,
 * docs/reference/platform-api/carriers.md#gateway-rules).
 */

interface Registration {
  requires_register: boolean
  register_username: string | null
  register_password: string | null
}

interface RegistrationInput {
  register_username?: string | null | undefined
  register_sip_realm?: string | null | undefined
  register_from_domain?: string | null | undefined
}

export interface RegistrationError {
  field: 'register_username' | 'register_password' | 'register_sip_realm' | 'register_from_domain'
  msg: string
}

const isBlank = (text: string | null): boolean => text === null || text.trim() === ''

/** A domain name or IP address, recognized by its dot. */
const isHost = (text: string): boolean => !/\s/.test(text) && !/^sips?:/i.test(text) && text.includes('.')

const hostError = (field: 'register_sip_realm' | 'register_from_domain'): RegistrationError => ({
  field,
  msg: `${field} must be a valid domain or IP address (no sip: prefix, no spaces)`,
})

const requiredError = (field: 'register_username' | 'register_password'): RegistrationError => ({
  field,
  msg: `${field} is required when requires_register is true`,
})

/**
 * Returns the error of a carrier's registration settings, if there is one. `then` is the carrier after the change,
 * `sent` the changed members.
 */
export const validateRegistration = (
  resulting: Registration,
  input: RegistrationInput,
): RegistrationError | undefined => {
  const { register_sip_realm: realm, register_from_domain: domain } = input
  if (resulting.requires_register && isBlank(resulting.register_username)) return requiredError('register_username')
  const username = resulting.requires_register ? resulting.register_username : input.register_username
  if (username && /\s/.test(username))
    return { field: 'register_username', msg: 'register_username must not contain whitespace' }
  if (resulting.requires_register && isBlank(resulting.register_password)) return requiredError('register_password')
  if (realm === '')
    return {
      field: 'register_sip_realm',
      msg: 'register_sip_realm must not be empty string; use null to fall back to gateway IP',
    }
  if (realm && !isHost(realm)) return hostError('register_sip_realm')
  if (domain && !isHost(domain)) return hostError('register_from_domain')
  return undefined
}

export interface GatewayAddress {
  ipv4: string
  netmask: number
  inbound: boolean
  outbound: boolean
}

export interface GatewayError {
  field: 'ipv4' | 'netmask'
  msg: string
}

/** Returns the error of a SIP gateway's address, if there is one. Only outbound gateways can have a domain name. */
export const validateSipGateway = (
  { ipv4: address, netmask, inbound, outbound }: GatewayAddress,
  minNetmask: number,
): GatewayError | undefined => {
  if (netmask < minNetmask)
    return { field: 'netmask', msg: `netmask required to have value equal or greater than ${minNetmask}` }
  if (/\s/.test(address)) return { field: 'ipv4', msg: 'Gateway must not contain whitespace' }
  if (inbound && !isIpv4(address)) return { field: 'ipv4', msg: 'Inbound gateway must be IPv4 address' }
  if (!inbound && outbound && netmask !== singleAddress)
    return { field: 'netmask', msg: 'For outbound only gateway netmask can only be 32' }
  return undefined
}
