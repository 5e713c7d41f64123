import type { LcrRoute } from '@patchbay/contract/lcr-routes'
import { expect, test } from 'vitest'
import { assignStoredSids, toDefaultRoute } from './routes.ts'

const stored = (nth: number, regex: string, voip_carrier_sid: string): LcrRoute => ({
  lcr_route_sid: `r${nth}`,
  lcr_sid: 'l',
  regex,
  description: null,
  priority: nth,
  lcr_carrier_set_entries: [
    { lcr_carrier_set_entry_sid: `e${nth}`, lcr_route_sid: `r${nth}`, voip_carrier_sid, workload: 2, priority: 0 },
  ],
})

test("LCR-14 the last route is the system default route: '.*', 'System Default Route', 9999", () => {
  expect(toDefaultRoute('d', undefined)).toEqual({
    lcr_route_sid: '',
    regex: '.*',
    description: 'System Default Route',
    priority: 9999,
    lcr_carrier_set_entries: [{ voip_carrier_sid: 'd', priority: 0 }],
  })
  expect(toDefaultRoute('n', stored(9, '.*', 'd'))).toMatchObject({
    lcr_route_sid: 'r9',
    lcr_carrier_set_entries: [{ lcr_carrier_set_entry_sid: 'e9', voip_carrier_sid: 'n' }],
  })
})

test('does not create a route again if an earlier save has stored it', () => {
  const route = (regex: string, lcr_route_sid = '') => ({
    lcr_route_sid,
    regex,
    lcr_carrier_set_entries: [{ voip_carrier_sid: 'a' }],
  })
  const typed = [route('^1', 'r1'), route('^2'), route('^2'), route('^3'), route('^4')]
  const all = [stored(2, '^2', 'a'), stored(1, '^1', 'a'), stored(4, '^4', 'another')]
  expect(assignStoredSids(typed, all)).toEqual([
    route('^1', 'r1'),
    {
      lcr_route_sid: 'r2',
      regex: '^2',
      description: null,
      lcr_carrier_set_entries: [{ lcr_carrier_set_entry_sid: 'e2', voip_carrier_sid: 'a', workload: 2, priority: 0 }],
    },
    route('^2'),
    route('^3'),
    route('^4'),
  ])
})
