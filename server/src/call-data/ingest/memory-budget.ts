/**
 * Memory that many share: nobody gets more than half of what is left, so that what is large is refused while there is
 * still room for what is small.
 */

export interface Reservation {
  /** Answers false, and takes nothing, where there is no room. */
  take(bytes: number): boolean
  /** what could be taken just now */
  room(): number
  release(): void
}

export const createBudget = (bytes: number): (() => Reservation) => {
  let left = bytes
  return () => {
    let taken = 0
    const room = () => Math.floor((left + taken) / 2) - taken
    return {
      room,
      take: (more) => {
        if (more > room()) return false
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
