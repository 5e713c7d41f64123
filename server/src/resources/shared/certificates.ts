import { certificateNoticeDays } from '@patchbay/contract/shared/attention-kinds'
import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import { readCertificate, type ServerCertificate, type TlsAddress } from '../../adapters/read-certificate.ts'
import type { Configuration } from '../../config/configuration.ts'
import type { Database } from '../../database/engine.ts'
import { monotonicMs } from '../../lib/clock.ts'
import type { OnBackgroundError } from '../../lib/log.ts'

/** Reads the TLS certificates of this installation: of the console's public address, and of the ports of SBCs. */

export interface CheckedCertificate {
  /** Host and port, without the default port of HTTPS. */
  name: string
  /** Whether browsers use it. Those of SBCs are used by SIP devices, which can trust other authorities. */
  isPublicAddress: boolean
  /** Undefined if no certificate could be read. */
  certificate: ServerCertificate | undefined
  /** The error if no certificate could be read. */
  failure: unknown
}

/**
 * Returns whether a certificate has expired or will soon.
 * @param now milliseconds since the Unix epoch
 */
export const isNearEnd = ({ validUntil }: ServerCertificate, now: number): boolean =>
  validUntil < now + certificateNoticeDays * dayMs

export interface NamedAddress extends TlsAddress {
  name: string
  isPublicAddress: boolean
}

export interface Certificates {
  /** Reads the addresses from the database. */
  readAddresses(): Promise<NamedAddress[]>
  /** Reads the certificates of all addresses now, within the time limit of a handshake. */
  check(addresses: readonly NamedAddress[]): Promise<CheckedCertificate[]>
  /** Returns the latest results without waiting. Starts a check if they are older than an hour. */
  latest(): readonly CheckedCertificate[]
}

/** Time limit of a handshake in milliseconds. */
const handshakeTimeoutMs = 1500

/** Maximum number of SBCs whose certificates are read. */
const maxSbcs = 20

const defaultHttpsPort = 443

const toPublicAddress = (publicUrl: string | null): NamedAddress[] => {
  const url = publicUrl === null ? undefined : new URL(publicUrl)
  if (url?.protocol !== 'https:') return []
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return [{ name: url.host, isPublicAddress: true, host, port: Number(url.port || defaultHttpsPort) }]
}

const readSbcAddresses = async ({ reader }: Database): Promise<NamedAddress[]> => {
  const rows = await reader
    .selectFrom('sbc_addresses')
    .select(['ipv4', 'tls_port', 'wss_port'])
    .where((where) => where.or([where('tls_port', 'is not', null), where('wss_port', 'is not', null)]))
    .orderBy('ipv4')
    .limit(maxSbcs)
    .execute()
  return rows.flatMap(({ ipv4: host, tls_port, wss_port }) =>
    [tls_port, wss_port]
      .filter((port) => port !== null)
      .map((port) => ({ name: `${host}:${port}`, isPublicAddress: false, host, port })),
  )
}

const check = async ({ name, isPublicAddress, ...address }: NamedAddress): Promise<CheckedCertificate> => {
  try {
    const certificate = await readCertificate(address, handshakeTimeoutMs)
    return { name, isPublicAddress, certificate, failure: undefined }
  } catch (failure) {
    return { name, isPublicAddress, certificate: undefined, failure }
  }
}

export const createCertificates = (
  { publicUrl }: Pick<Configuration, 'publicUrl'>,
  database: Database,
  onBackgroundError: OnBackgroundError,
): Certificates => {
  let results: readonly CheckedCertificate[] = []
  let checkedAt = -Infinity
  const readAddresses = async () => [...toPublicAddress(publicUrl), ...(await readSbcAddresses(database))]
  const checkAll = async (addresses: readonly NamedAddress[]): Promise<CheckedCertificate[]> => {
    checkedAt = monotonicMs()
    const checked = await Promise.all(addresses.map(check))
    results = checked
    return checked
  }
  return {
    readAddresses,
    check: checkAll,
    latest() {
      if (monotonicMs() - checkedAt > hourMs) {
        checkedAt = monotonicMs()
        readAddresses()
          .then(checkAll)
          .catch((error: unknown) => onBackgroundError(error, 'the TLS certificates could not be read'))
      }
      return results
    },
  }
}
