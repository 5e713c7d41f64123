import { z } from 'zod'
import { type IpNetwork, parseAddressOrNetwork } from '../../lib/ip-networks.ts'
import { InvalidConfigurationError } from '../invalid-configuration.ts'
import type { Credentials } from '../option-types.ts'
import { type callDataVariables, influxPort } from './call-data-settings.ts'
import { requireBoth } from './dependent-settings.ts'
import { markSecret, splitList, type Values } from './schemas.ts'

/** The settings of the ports that receive call data, and of those who can send it. */

/** Address that an intake listens on, and who can send to it. */
export interface IntakeAddress {
  host: string
  port: number
  /** Credentials that senders need. Absent if none are configured. */
  credentials?: Credentials
  /** Networks of senders that need no credentials. Without credentials, other addresses cannot send. */
  senders?: readonly IpNetwork[]
}

const intakeAddress = z.string().regex(/^(?:(?:\[[0-9a-fA-F:.]+\]|[^:[\]\s]+):)?\d{1,5}$/, {
  error: 'must be a port, or host:port such as 10.0.0.5:9060 or [fd00::5]:9060; 0 turns it off',
})

/** An empty list is as wrong as an invalid entry: no sender could be meant by it. */
const senderList = z
  .string()
  .transform((list) => splitList(list).map(parseAddressOrNetwork))
  .refine((list) => list.length > 0 && list.every((entry) => entry !== undefined), {
    error:
      'must be addresses or networks such as 10.0.0.5, 10.1.0.0/16, or fd00::/8, separated by commas, and not a network of all addresses',
  })
  .transform((list) => list.filter((entry) => entry !== undefined))

const otlpPort = 4318
const hepPort = 9060

export const intakeVariables = {
  INTAKE_INFLUX: intakeAddress.optional().meta({
    description:
      'Port, or host:port, that receives call records and alerts. 0 disables it. Loopback unless a host ' +
      'is given. An IPv6 host has brackets: `[fd00::5]:8086`',
    documentedDefault: `${influxPort}; 0 with \`JAMBONES_TIME_SERIES_HOST\``,
  }),
  INTAKE_INFLUX_SENDERS: senderList
    .optional()
    .describe(
      'Addresses and networks that can send call records and alerts without credentials, such as ' +
        '`10.0.0.5,10.1.0.0/16,fd00::/8`. Without `INTAKE_PASSWORD`, other addresses are rejected. An ' +
        'invalid entry, an empty list, and a network of all addresses prevent the start',
    ),
  INTAKE_OTLP: intakeAddress.optional().meta({
    description: 'The same for traces (OTLP over HTTP) and log lines (`POST /logs`)',
    documentedDefault: `${otlpPort}; 0 with \`JAEGER_BASE_URL\``,
  }),
  INTAKE_HEP: intakeAddress.optional().meta({
    description: 'The same for captured SIP (HEP version 3 over UDP and TCP)',
    documentedDefault: `${hepPort}; 0 with \`HOMER_BASE_URL\``,
  }),
  INTAKE_HEP_SENDERS: senderList
    .optional()
    .describe(
      'The same as `INTAKE_INFLUX_SENDERS` for captured SIP. UDP sources can be forged: use it in a ' +
        'network of your own only ([how ' +
        'to](../how-to/receive-call-data.md#list-the-senders-that-cannot-authenticate))',
    ),
  INTAKE_USERNAME: z
    .string()
    .min(1)
    .optional()
    .describe(
      'User name of the senders, together with `INTAKE_PASSWORD`. Both are required if an intake ' +
        'listens beyond loopback and no senders are listed for it',
    ),
  INTAKE_PASSWORD: markSecret(
    z
      .string()
      .min(1)
      .optional()
      .describe('Password of the senders, together with `INTAKE_USERNAME`. For HEP it is the authentication key'),
  ),
  TRACE_CALL_ATTRIBUTES: z
    .string()
    .max(1000, { error: 'must be at most 1000 characters long' })
    .default('call_sid,sip.call_id')
    .transform(splitList)
    .describe(
      'Names of span or resource attributes, separated by commas, with the `call_sid` or the SIP ' +
        'Call-ID of a call. They link traces of agent frameworks that have their own trace ID with the ' +
        '[conversation](platform-api/traces-and-captures.md#conversations) of the call',
    ),
}

type IntakeEnvironment = Values<typeof intakeVariables>

/** Hosts that only programs on this machine can reach. */
export const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

/** Splits `host:port`. The host is loopback by default, and an IPv6 address loses its brackets. */
const splitAddress = (address: string): { host: string; port: number } => {
  const colon = address.lastIndexOf(':')
  const host = colon < 0 ? '127.0.0.1' : address.slice(0, colon).replace(/^\[|\]$/g, '')
  return { host, port: Number(address.slice(colon + 1)) }
}

interface IntakeVariable {
  name: 'INTAKE_INFLUX' | 'INTAKE_OTLP' | 'INTAKE_HEP'
  /** The setting with the addresses of senders. Senders of some protocols can all authenticate, and have none. */
  sendersName?: 'INTAKE_INFLUX_SENDERS' | 'INTAKE_HEP_SENDERS'
  defaultPort: number
}

const parseIntake = (
  env: IntakeEnvironment,
  { name, sendersName, defaultPort }: IntakeVariable,
): IntakeAddress | null => {
  const { host, port } = splitAddress(env[name] ?? String(defaultPort))
  if (port === 0) return null
  const login = requireBoth(env, 'INTAKE_USERNAME', 'INTAKE_PASSWORD')
  const credentials = login === null ? undefined : { username: login[0], password: login[1] }
  const senders = sendersName && env[sendersName]
  if (!loopback.has(host) && credentials === undefined && senders === undefined) {
    const alternative = sendersName === undefined ? '' : `, or ${sendersName} with the addresses of the senders`
    throw new InvalidConfigurationError(
      `${name} listens on ${host}, which other machines can reach. Set INTAKE_USERNAME and INTAKE_PASSWORD as well${alternative}.`,
    )
  }
  return { host, port, ...(credentials ? { credentials } : {}), ...(senders ? { senders } : {}) }
}

/**
 * A server of the platform disables the intake of the data that is read from it.
 * @throws InvalidConfigurationError if other machines can reach an intake that accepts everything
 */
export const getIntakes = (env: IntakeEnvironment & Values<typeof callDataVariables>) => ({
  /** Address that receives call records and alerts. Null if disabled. */
  influxIntake: parseIntake(env, {
    name: 'INTAKE_INFLUX',
    sendersName: 'INTAKE_INFLUX_SENDERS',
    defaultPort: env.JAMBONES_TIME_SERIES_HOST === undefined ? influxPort : 0,
  }),
  /** Address that receives traces and log lines. Null if disabled. */
  otlpIntake: parseIntake(env, { name: 'INTAKE_OTLP', defaultPort: env.JAEGER_BASE_URL === undefined ? otlpPort : 0 }),
  /** Address that receives captured SIP. Null if disabled. */
  hepIntake: parseIntake(env, {
    name: 'INTAKE_HEP',
    sendersName: 'INTAKE_HEP_SENDERS',
    defaultPort: env.HOMER_BASE_URL === undefined ? hepPort : 0,
  }),
  /** Names of span attributes that name a call. */
  traceCallAttributes: env.TRACE_CALL_ATTRIBUTES,
})
