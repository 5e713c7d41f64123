import { expect, test } from 'vitest'
import { checkFilters } from './check-filters.ts'

const empty = {
  from: '',
  until: '',
  trunk: '',
  result: '',
  sip_status: '',
  min_duration: '',
  max_duration: '',
  number: '',
  application_sid: '',
}

test.each([
  [empty, []],
  [{ ...empty, from: '2026-11-02', until: '2026-11-02', sip_status: '503' }, []],
  [{ ...empty, from: '2026-11-02', until: '2026-11-01' }, ['until']],
  [{ ...empty, until: '2026-11-01' }, []],
  [{ ...empty, trunk: 'x'.repeat(256) }, ['trunk']],
  [{ ...empty, number: ' '.repeat(300) }, []],
  [{ ...empty, number: '1'.repeat(256) }, ['number']],
  [{ ...empty, min_duration: '60', max_duration: '299' }, []],
  [{ ...empty, min_duration: '60', max_duration: '59' }, ['max_duration']],
  [{ ...empty, max_duration: '0' }, []],
  [{ ...empty, sip_status: '50' }, ['sip_status']],
  [{ ...empty, sip_status: '703' }, ['sip_status']],
  [{ ...empty, sip_status: '5o3' }, ['sip_status']],
])('reports invalid filters at their fields: %#', (input, fields) => {
  expect(Object.keys(checkFilters(input))).toEqual(fields)
})
