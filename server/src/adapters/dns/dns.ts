/**
 * Creates DNS records for SIP realms, so that carriers and devices find them
 * (docs/reference/platform-api/hosted-mode.md#sip-realms).
 */
export interface Dns {
  /** Returns the managed domain that contains a realm, or undefined. */
  findZone(realm: string): Promise<string | undefined>
  /** Returns the IDs of all records of a realm. */
  findRecordIds(zone: string, realm: string): Promise<number[]>
  /** Creates an A record for each address, and an SRV record for SIP over UDP. */
  createRecords(zone: string, realm: string, addresses: readonly string[]): Promise<CreatedRecord[]>
  /** Deletes records by ID. */
  removeRecords(zone: string, ids: readonly number[]): Promise<void>
}

/** A created record with its ID at the DNS provider. */
export interface CreatedRecord {
  id: number
  type: string
}

/** The DNS provider failed or did not respond. The operation may have been carried out. */
export class DnsError extends Error {
  /** Status of the response, if there was one. */
  readonly status: number | undefined
  constructor(message: string, { status, ...options }: ErrorOptions & { status?: number } = {}) {
    super(message, options)
    this.status = status
  }
}
