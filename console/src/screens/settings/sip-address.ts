import { classifyHost, isPort } from '@patchbay/contract/shared/addresses'

/** Validation of the form for an address of an SBC. */

type FieldName = 'ipv4' | 'port' | 'tls_port' | 'wss_port'
export type AddressErrors = Partial<Record<FieldName, string>>

const isValidPort = (text: string): boolean => isPort(text) && Number(text) > 0
const portError = 'Enter a port from 1 to 65535'

/** Returns the errors of the entered texts. Only the address is required. */
export const validateAddress = (values: Readonly<Record<FieldName, string>>): AddressErrors => {
  const checkPort = (name: 'port' | 'tls_port' | 'wss_port'): AddressErrors =>
    values[name] === '' || isValidPort(values[name]) ? {} : { [name]: portError }
  return {
    ...(classifyHost(values.ipv4) === 'invalid' ? { ipv4: 'Enter an IPv4 address or a host name' } : {}),
    ...checkPort('port'),
    ...checkPort('tls_port'),
    ...checkPort('wss_port'),
  }
}
