import { expect, test } from 'vitest'
import { formatPhoneNumber } from '../phone-number/format.ts'
import { formatParties } from './call-parties.ts'

test('names the parties of a call by their formatted numbers', () => {
  expect(formatParties({ from: '15083084809', to: '1' }, formatPhoneNumber)).toBe('+1 (508) 308-4809 to 1')
  expect(formatParties({ from: null, to: '' }, formatPhoneNumber)).toBe('unknown to unknown')
})
