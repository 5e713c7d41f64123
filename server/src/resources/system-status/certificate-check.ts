import { certificateNoticeDays } from '@patchbay/contract/shared/attention-kinds'
import type { ComponentPart } from '@patchbay/contract/system-status'
import { type Certificates, type CheckedCertificate, isNearEnd } from '../shared/certificates.ts'
import { type Check, describeFailure, type Finding, limitParts, notConfigured, runBounded } from './finding.ts'

/** Checks the TLS certificates of the console and of the SBCs. */

const formatDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

const toPart = (checked: CheckedCertificate, now: number): ComponentPart => {
  const { name, isPublicAddress, certificate, failure } = checked
  if (certificate === undefined)
    return { name, state: 'unknown', detail: describeFailure(failure, 'TLS port'), last_contact: null }
  const { validUntil, untrustedReason } = certificate
  const last_contact = new Date(now).toISOString()
  if (validUntil <= now) return { name, state: 'failing', detail: `Expired on ${formatDay(validUntil)}.`, last_contact }
  const detail = `Valid until ${formatDay(validUntil)}.`
  if (isPublicAddress && untrustedReason !== null)
    return {
      name,
      state: 'warning',
      detail: `${detail} This server does not trust it: ${untrustedReason}.`,
      last_contact,
    }
  return { name, state: isNearEnd(certificate, now) ? 'warning' : 'ok', detail, last_contact }
}

/** Judges certificates by their end. Those that cannot be read are unknown, because a firewall can be the reason. */
export const judgeCertificates = (certificates: readonly CheckedCertificate[], now: number): Finding => {
  if (certificates.length === 0)
    return notConfigured('No SBC has a TLS or WebSocket port, and PUBLIC_URL does not begin with https://.')
  const parts = certificates.map((each) => toPart(each, now))
  const withState = (state: ComponentPart['state']) => parts.filter((part) => part.state === state)
  const [failing, warning, unknown] = [withState('failing'), withState('warning'), withState('unknown')]
  const sorted = limitParts([...failing, ...warning, ...unknown, ...withState('ok')])
  const of = `of ${parts.length} ${parts.length === 1 ? 'certificate' : 'certificates'}`
  if (failing.length > 0) return { state: 'failing', detail: `Expired: ${failing.length} ${of}.`, ...sorted }
  if (warning.length > 0)
    return { state: 'warning', detail: `Expiring soon or not trusted: ${warning.length} ${of}.`, ...sorted }
  if (unknown.length > 0) return { state: 'unknown', detail: `Could not be read: ${unknown.length} ${of}.`, ...sorted }
  return { state: 'ok', detail: `No certificate expires within ${certificateNoticeDays} days.`, ...sorted }
}

/** The addresses have the time limit of a check, so that a port that hangs is not reported as a database that hangs. */
export const createCertificateCheck = (certificates: Pick<Certificates, 'readAddresses' | 'check'>): Check => {
  const readAddresses = runBounded(certificates.readAddresses)
  return async () => judgeCertificates(await certificates.check(await readAddresses()), Date.now())
}
