/**
 * Memory that many share: nobody gets more than half of what is left, so that what is large is refused while there is
 * still room for what is small.
 */

export interface Claim {
  /** Answers false, and takes nothing, where there is no room. */
  take(bytes: number): boolean
  release(): void
}

export const createBudget = (bytes: number): (() => Claim) => {
  let left = bytes
  return () => {
    let taken = 0
    return {
      take: (more) => {
        if (taken + more > (left + taken) / 2) return false
        taken += more
        left -= more
        return true
      },
      release: () => {
        left += taken
        taken = 0
      },
    }
  }
}
