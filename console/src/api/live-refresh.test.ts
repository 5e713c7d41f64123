import { describe, expect, test } from 'vitest'
import { getRefreshPauseMs } from './live-refresh.ts'

const second = 1000
const loadedAt = 1_700_000_000_000

describe('the pause before the next read', () => {
  test('is the interval while reads succeed, and none for data that does not change', () => {
    const state = { status: 'success', dataUpdatedAt: loadedAt, errorUpdatedAt: 0 } as const
    expect(getRefreshPauseMs(15 * second, state)).toBe(15 * second)
    expect(getRefreshPauseMs(false, state)).toBe(false)
    expect(getRefreshPauseMs(false, { ...state, status: 'error', errorUpdatedAt: loadedAt })).toBe(false)
  })

  test('doubles with each failure, up to 5 minutes, and is the interval again after a success', () => {
    let now = loadedAt
    let pause: number | false = 15 * second
    const pauses: (number | false)[] = []
    for (let failure = 0; failure < 7; failure += 1) {
      now += Number(pause)
      pause = getRefreshPauseMs(15 * second, { status: 'error', dataUpdatedAt: loadedAt, errorUpdatedAt: now })
      pauses.push(Number(pause) / second)
    }
    expect(pauses).toEqual([15, 30, 60, 120, 240, 300, 300])
    const recovered = { status: 'success', dataUpdatedAt: now + 1, errorUpdatedAt: now } as const
    expect(getRefreshPauseMs(15 * second, recovered)).toBe(15 * second)
  })

  test('is the longest if there was never a response', () => {
    expect(getRefreshPauseMs(15 * second, { status: 'error', dataUpdatedAt: 0, errorUpdatedAt: loadedAt })).toBe(
      300 * second,
    )
  })
})
