/**
 * Shares a memory budget between requests. A reservation can take at most half of the free memory, so that large
 * requests are rejected while there is still memory for small ones.
 */

export interface Reservation {
  /** Reserves bytes. Returns false without a change if there is not enough memory. */
  take(bytes: number): boolean
  /** Returns the number of bytes that can be taken now. */
  room(): number
  release(): void
}

/**
 * Creates a budget. Returns a function that starts a reservation.
 * @param bytes size of the budget
 */
export const createBudget = (bytes: number): (() => Reservation) => {
  let freeBytes = bytes
  return () => {
    let taken = 0
    const room = () => Math.floor((freeBytes + taken) / 2) - taken
    return {
      room,
      take: (more) => {
        if (more > room()) return false
        taken += more
        freeBytes -= more
        return true
      },
      release: () => {
        freeBytes += taken
        taken = 0
      },
    }
  }
}
