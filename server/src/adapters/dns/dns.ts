/** Where SIP realms get their records, so that carriers and devices find them (api/4-calls-and-hosted.md §5.5). */
export interface Dns {
  /** The managed domain that a realm is in; undefined: none of them. */
  zoneOf(realm: string): Promise<string | undefined>
  /** The ids of all records that there are of a realm. */
  find(zone: string, realm: string): Promise<number[]>
  /** An A record an address, and a SRV record of SIP over UDP. */
  make(zone: string, realm: string, addresses: readonly string[]): Promise<MadeRecord[]>
  remove(zone: string, ids: readonly number[]): Promise<void>
}

export interface MadeRecord {
  id: number
  type: string
}

/** What the provider of DNS did not do; it may have been done all the same. */
export class DnsFailed extends Error {}
