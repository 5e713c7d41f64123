/** A SIP user's registration as the platform's SBC wrote it; further members pass straight through. */
export interface Registration {
  contact: string | null
  protocol: string | null
  /** epoch ms */
  expiryTime: number
  sbcAddress?: unknown
  proxy?: unknown
  [member: string]: unknown
}

/** Which SIP users are registered. A realm is matched whole: `a.com` does not mean `b.a.com`. */
export interface Registrations {
  /** The names of the users of a realm, without the realm, in order. */
  namesOf(realm: string): Promise<string[]>
  /** The registration of each name, in the order asked for; undefined for who is not registered. */
  find(realm: string, names: readonly string[]): Promise<(Registration | undefined)[]>
}
