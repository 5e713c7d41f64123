import { type OwnedRules, type StoredRules, unownedRules } from './masking-rules.ts'

/**
 * Finds the rules for received data. Only some spans of a trace, and some lines of a log, name their account: those
 * without one get the rules of the account that the same trace or call has named before.
 */
export interface IntakeRules {
  /**
   * Returns the rules for each group of data, in the same order.
   * @param groups the trace or call that data belongs to, and the account that it names
   */
  find(groups: readonly OwnedGroup[]): Promise<OwnedRules[]>
}

export interface OwnedGroup {
  /** A trace ID, or the ID of a call. */
  id: string
  account_sid: string | undefined
}

/** Traces and calls whose account this process remembers. One takes about 200 bytes. */
const maxRemembered = 20_000

/** Longer texts are no SIDs. */
const maxSidLength = 36

/** Masks card numbers of all providers. */
export const defaultIntakeRules: IntakeRules = {
  find: (groups) => Promise.resolve(groups.map(() => unownedRules)),
}

/** Creates the look-up for an intake. */
export const createIntakeRules = (rules: StoredRules): IntakeRules => {
  const accounts = new Map<string, string>()
  const remember = (id: string, account_sid: string): void => {
    // The map is ordered by last use, so its first entry is the least recently used.
    accounts.delete(id)
    accounts.set(id, account_sid)
    const [oldest] = accounts.keys()
    if (accounts.size > maxRemembered && oldest !== undefined) accounts.delete(oldest)
  }
  return {
    async find(groups) {
      const owners = groups.map(({ id, account_sid }) => {
        const named = account_sid !== undefined && account_sid.length <= maxSidLength ? account_sid : undefined
        if (named !== undefined) remember(id, named)
        return named ?? accounts.get(id)
      })
      const found = new Map<string | undefined, OwnedRules>()
      for (const owner of new Set(owners))
        found.set(owner, await (owner === undefined ? rules.ofUnknownAccount() : rules.ofAccount(owner)))
      return owners.flatMap((owner) => found.get(owner) ?? [])
    },
  }
}
