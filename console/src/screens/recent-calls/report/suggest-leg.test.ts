import type { Call } from '@patchbay/contract/recent-calls'
import { expect, test } from 'vitest'
import { suggestLeg } from './suggest-leg.ts'

const leg = (sip_callid: string, trunk: string | null, answered = true) =>
  ({ sip_callid, trunk, answered }) as unknown as Call

test.each([
  ['the opened leg', leg('b', 'Twilio'), [leg('a', 'Bluewave', false), leg('b', 'Twilio')], 'b'],
  ['the leg of the carrier', leg('a', 'user'), [leg('a', 'user'), leg('b', 'Twilio')], 'b'],
  ['a failed leg', leg('a', null), [leg('a', null), leg('b', 'Twilio', false), leg('c', 'Bluewave')], 'b'],
  ['the last leg', leg('a', 'sipUri'), [leg('a', 'sipUri'), leg('b', 'Twilio'), leg('c', 'Bluewave')], 'c'],
  ['no leg without a carrier', leg('a', 'user'), [leg('a', 'user'), leg('b', 'undefined')], undefined],
])('suggests %s', (_, own, legs, sip_callid) => {
  expect(suggestLeg(own, legs)).toBe(sip_callid)
})
