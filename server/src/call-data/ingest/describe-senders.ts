import { type IntakeAddress, loopback } from '../../config/settings/intake-settings.ts'
import type { IntakeName } from './intake-status.ts'
import type { RejectedSender, SenderRejection } from './rejected-senders.ts'

/** Explains to administrators who can send data to an intake, and why data of others is rejected. */

interface IntakeLabels {
  /** The setting with the addresses of senders, if the protocol has senders that cannot authenticate. */
  sendersName?: string
  /** Names the settings that a sender authenticates with. */
  secret: string
  /** Completes "which", for the senders that cannot send it. */
  limitation?: string
}

const labels: Readonly<Record<IntakeName, IntakeLabels>> = {
  influx: {
    sendersName: 'INTAKE_INFLUX_SENDERS',
    secret: 'INTAKE_USERNAME and INTAKE_PASSWORD',
    limitation: 'feature servers and SBCs cannot send, because they always send the user root with the password root',
  },
  otlp: { secret: 'INTAKE_USERNAME and INTAKE_PASSWORD' },
  hep: {
    sendersName: 'INTAKE_HEP_SENDERS',
    secret: 'INTAKE_PASSWORD as the HEP authentication key',
    limitation: 'drachtio and rtpengine cannot send',
  },
}

/** The credentials that the components of the platform send to every InfluxDB. */
const isFixedByPlatform = ({ credentials }: IntakeAddress): boolean =>
  credentials?.username === 'root' && credentials.password === 'root'

/** Returns one sentence that says whose data an intake accepts. */
export const describeSenders = (name: IntakeName, intake: IntakeAddress): string => {
  const { sendersName, secret, limitation } = labels[name]
  const { host, credentials, senders } = intake
  if (senders !== undefined && credentials !== undefined)
    return `The addresses in ${sendersName} can send, and others with ${secret}.`
  if (senders !== undefined) return `Only the addresses in ${sendersName} can send.`
  if (credentials === undefined) return `Only programs on this machine can send, because the port listens on ${host}.`
  const remedy =
    limitation === undefined || (name === 'influx' && isFixedByPlatform(intake))
      ? ''
      : `, which ${limitation}: list their addresses in ${sendersName}`
  const reach = loopback.has(host) ? 'Only programs on this machine can send, with' : 'Senders need'
  return `${reach} ${secret}${remedy}.`
}

const explainRejection = (name: IntakeName, reason: SenderRejection): string => {
  const { sendersName, secret } = labels[name]
  const alternative = sendersName === undefined ? '' : `, and ${sendersName} does not list the address`
  if (reason === 'not_listed') return `${sendersName} does not list the address`
  return reason === 'no_credentials'
    ? `it did not send ${secret}${alternative}`
    : `it sent another value than ${secret}${alternative}`
}

/** Returns the reason for the rejections of one address. */
export const describeRejectedSender = (name: IntakeName, { count, reason }: RejectedSender): string =>
  `Rejected ${count.toLocaleString('en-US')} ${count === 1 ? 'time' : 'times'}: ${explainRejection(name, reason)}.`

/**
 * Returns whose data is rejected and why.
 * @param senders with the latest one first
 */
export const describeRejectedSenders = (
  name: IntakeName,
  [latest, ...others]: readonly RejectedSender[],
): string | undefined => {
  if (latest === undefined) return undefined
  const count = others.length
  const more = count === 0 ? '' : ` ${count} more ${count === 1 ? 'address is' : 'addresses are'} rejected.`
  return `Data of ${latest.address} is rejected, because ${explainRejection(name, latest.reason)}.${more}`
}
