import { classifyHost, isPort } from '@patchbay/contract/shared/addresses'
import {
  defaultSipPort,
  defaultSmppPort,
  type SipProtocol,
  singleAddress,
  sipProtocols,
} from '@patchbay/contract/shared/gateways'
import type { SipGateway } from '@patchbay/contract/sip-gateways'
import { gatewayLengths as lengths } from '@patchbay/contract/sip-gateways/record'
import type { SmppGateway } from '@patchbay/contract/smpp-gateways'
import { trimmedText, z } from '../../../zod.ts'

/** Rows of the gateways in the carrier form: conversion from and to the API, and validation. */

export const protocolLabels: Readonly<Record<SipProtocol, string>> = {
  udp: 'UDP',
  tcp: 'TCP',
  tls: 'TLS',
  'tls/srtp': 'TLS/SRTP',
}

/** Prefix lengths 32 to 1. A stored value outside this range is added to the options. */
const netmasks = Array.from({ length: singleAddress }, (_, index) => String(singleAddress - index))

export const toNetmaskOptions = (stored: string) =>
  [...netmasks, ...(netmasks.includes(stored) ? [] : [stored])].map((bits) => ({ value: bits, label: `/${bits}` }))

export const sipGatewayValues = z.object({
  /** Empty until the gateway is saved. */
  sip_gateway_sid: z.string(),
  ipv4: trimmedText(lengths.ipv4),
  /** Empty if no port is set. */
  port: trimmedText(5),
  netmask: z.string(),
  protocol: z.enum(sipProtocols),
  inbound: z.boolean(),
  outbound: z.boolean(),
  is_active: z.boolean(),
  pad_crypto: z.boolean(),
  send_options_ping: z.boolean(),
  use_sips_scheme: z.boolean(),
  remove_ice: z.boolean(),
  dtls_off: z.boolean(),
})
export type SipGatewayValues = z.infer<typeof sipGatewayValues>

export const newSipGateway: SipGatewayValues = {
  sip_gateway_sid: '',
  ipv4: '',
  port: String(defaultSipPort),
  netmask: String(singleAddress),
  protocol: 'udp',
  inbound: true,
  outbound: false,
  is_active: true,
  pad_crypto: false,
  send_options_ping: false,
  use_sips_scheme: false,
  remove_ice: false,
  dtls_off: false,
}

export const toSipGatewayValues = (gateway: SipGateway): SipGatewayValues => ({
  sip_gateway_sid: gateway.sip_gateway_sid,
  ipv4: gateway.ipv4,
  port: gateway.port === null ? '' : String(gateway.port),
  netmask: String(gateway.netmask),
  protocol: gateway.protocol ?? 'udp',
  inbound: Boolean(gateway.inbound),
  outbound: Boolean(gateway.outbound),
  is_active: Boolean(gateway.is_active),
  pad_crypto: Boolean(gateway.pad_crypto),
  send_options_ping: Boolean(gateway.send_options_ping),
  use_sips_scheme: Boolean(gateway.use_sips_scheme),
  remove_ice: Boolean(gateway.remove_ice),
  dtls_off: Boolean(gateway.dtls_off),
})

export const isTls = (protocol: SipProtocol): boolean => protocol.startsWith('tls')

/** Returns the port to send. Without a port, an IP address uses 5060, and a domain name uses the port from DNS. */
const toPort = ({ ipv4, port }: SipGatewayValues): number | null =>
  port.trim() === '' ? (classifyHost(ipv4) === 'ip' ? defaultSipPort : null) : Number(port)

export const toSipGatewayPayload = (row: SipGatewayValues) => {
  const { sip_gateway_sid: _sid, ...flags } = row
  return {
    ...flags,
    ipv4: row.ipv4.trim(),
    port: toPort(row),
    // The netmask has no effect for outbound gateways.
    netmask: row.inbound ? Number(row.netmask) : singleAddress,
    use_sips_scheme: row.use_sips_scheme && isTls(row.protocol),
  }
}

export const smppGatewayValues = z.object({
  smpp_gateway_sid: z.string(),
  ipv4: trimmedText(lengths.ipv4),
  port: trimmedText(5),
  netmask: z.string(),
  is_primary: z.boolean(),
  use_tls: z.boolean(),
  inbound: z.boolean(),
  outbound: z.boolean(),
})
export type SmppGatewayValues = z.infer<typeof smppGatewayValues>

/** Values that jambonz uses for a new gateway. Each list of the form sets its own direction. */
export const newSmppGateway: SmppGatewayValues = {
  smpp_gateway_sid: '',
  ipv4: '',
  port: String(defaultSmppPort),
  netmask: String(singleAddress),
  is_primary: false,
  use_tls: false,
  inbound: true,
  outbound: true,
}

export const toSmppGatewayValues = (gateway: SmppGateway): SmppGatewayValues => ({
  smpp_gateway_sid: gateway.smpp_gateway_sid,
  ipv4: gateway.ipv4,
  port: String(gateway.port),
  netmask: String(gateway.netmask),
  is_primary: Boolean(gateway.is_primary),
  use_tls: Boolean(gateway.use_tls),
  inbound: Boolean(gateway.inbound),
  outbound: Boolean(gateway.outbound),
})

export const toSmppGatewayPayload = ({ smpp_gateway_sid: _sid, ...row }: SmppGatewayValues) => ({
  ...row,
  ipv4: row.ipv4.trim(),
  port: row.port.trim() === '' ? defaultSmppPort : Number(row.port),
  netmask: Number(row.netmask),
})

export interface RowError<Row> {
  index: number
  field: keyof Row & string
  message: string
}

const validatePort = (port: string): string | undefined =>
  port.trim() === '' || isPort(port) ? undefined : 'Enter a port from 0 to 65535'

/** Returns the rows that have the same key as an earlier row. */
const findDuplicates = <Row extends { ipv4: string }>(rows: readonly Row[], getKey: (row: Row) => string): Set<Row> => {
  const seen = new Set<string>()
  return new Set(
    rows.filter((row) => {
      const key = getKey(row).trim().toLowerCase()
      if (row.ipv4.trim() === '' || !seen.has(key)) {
        seen.add(key)
        return false
      }
      return true
    }),
  )
}

const validateSipAddress = ({ ipv4, inbound }: SipGatewayValues): string | undefined => {
  const kind = classifyHost(ipv4)
  if (kind === 'invalid') return 'Please provide a valid IP address or fully qualified domain name.'
  if (kind !== 'ip' && inbound) return 'A fully qualified domain name may only be used for outbound calls.'
  return undefined
}

/** Returns the errors of SIP gateways, by row (CARRIERS-37). */
export const validateSipGateways = (rows: readonly SipGatewayValues[]): RowError<SipGatewayValues>[] => {
  const duplicates = findDuplicates(rows, (row) => `${row.ipv4.trim()} ${toPort(row) ?? ''}`)
  return rows.flatMap((row, index) => {
    const address =
      validateSipAddress(row) ?? (duplicates.has(row) ? 'Each SIP gateway must have a unique IP address.' : '')
    const port = validatePort(row.port)
    return [
      ...(address ? [{ index, field: 'ipv4' as const, message: address }] : []),
      ...(port ? [{ index, field: 'port' as const, message: port }] : []),
      ...(row.inbound || row.outbound
        ? []
        : [{ index, field: 'inbound' as const, message: 'Choose inbound, outbound or both' }]),
    ]
  })
}

const validateSmppAddress = ({ ipv4, inbound, outbound }: SmppGatewayValues): string | undefined => {
  const kind = classifyHost(ipv4)
  const direction = outbound ? 'outbound' : 'inbound'
  if (kind === 'ip') return undefined
  if (kind === 'invalid' || !outbound)
    return `Please provide a valid ${direction} IP address or fully qualified domain name.`
  if (inbound) return 'A fully qualified domain name may only be used for outbound messages.'
  return kind === 'fqdn-top-level'
    ? `When using an FQDN, you must use a subdomain (e.g. smpp.${ipv4.trim()}).`
    : undefined
}

/** Returns the errors of SMPP gateways, by row. Outbound and inbound gateways are separate lists (CARRIERS-48). */
export const validateSmppGateways = (rows: readonly SmppGatewayValues[]): RowError<SmppGatewayValues>[] => {
  const key = ({ ipv4, port }: SmppGatewayValues) => `${ipv4.trim()} ${port.trim() || defaultSmppPort}`
  const duplicates = new Set([
    ...findDuplicates(
      rows.filter(({ outbound }) => outbound),
      key,
    ),
    ...findDuplicates(
      rows.filter(({ outbound }) => !outbound),
      key,
    ),
  ])
  return rows.flatMap((row, index) => {
    const unique = `Each ${row.outbound ? 'outbound' : 'inbound'} SMPP gateway must have a unique IP address.`
    const address = validateSmppAddress(row) ?? (duplicates.has(row) ? unique : '')
    const port = validatePort(row.port)
    return [
      ...(address ? [{ index, field: 'ipv4' as const, message: address }] : []),
      ...(port ? [{ index, field: 'port' as const, message: port }] : []),
    ]
  })
}
