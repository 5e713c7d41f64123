import { admins, type CallerName, everyone, includes, ofA, ofA2, ofB, ofQ } from '../callers.ts'
import type { MatrixWorld } from '../matrix-world.ts'
import { defineRules, notFound, unique, withoutRouting } from '../rule.ts'

/**
 * The routing tables of an account are accessible to the account and admins, but not to its provider
 * (docs/reference/platform-api/outbound-routing.md#visibility-of-routings).
 */
const overRoutingOfA = [...admins, ...ofA]
const unknownLcr: [number, string] = [400, 'unknown lcr_sid']

const withoutOwnRouting = async (world: MatrixWorld, caller: CallerName): Promise<void> => {
  if (includes(ofA, caller)) await withoutRouting(world, 'A')
  if (includes(ofA2, caller)) await withoutRouting(world, 'A2')
  if (includes(ofB, caller)) await withoutRouting(world, 'B')
}

export const rules = defineRules({
  'GET /Lcrs': { may: everyone, answers: 200, call: () => '/Lcrs' },
  'POST /Lcrs': {
    may: everyone,
    writes: true,
    answers: 201,
    call: async (world, caller) => {
      await withoutOwnRouting(world, caller)
      return { path: '/Lcrs', body: { name: unique() } }
    },
  },
  'GET /Lcrs/:lcr_sid': {
    may: overRoutingOfA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => `/Lcrs/${things.A.lcr_sid}`,
  },
  'PUT /Lcrs/:lcr_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: unknownLcr,
    call: ({ things }) => ({ path: `/Lcrs/${things.A.lcr_sid}`, body: { name: unique() } }),
  },
  'DELETE /Lcrs/:lcr_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: unknownLcr,
    call: ({ things }) => `/Lcrs/${things.A.lcr_sid}`,
  },
  'POST /Lcrs/:lcr_sid/Routes': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({
      path: `/Lcrs/${things.A.lcr_sid}/Routes`,
      body: [{ regex: '^2', priority: 1, lcr_carrier_set_entries: [{ voip_carrier_sid: things.A.voip_carrier_sid }] }],
    }),
  },
  'PUT /Lcrs/:lcr_sid/Routes': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({
      path: `/Lcrs/${things.A.lcr_sid}/Routes`,
      body: [{ regex: '^2', priority: 1, lcr_carrier_set_entries: [{ voip_carrier_sid: things.A.voip_carrier_sid }] }],
    }),
  },
  'GET /patchbay/inbound-routing': {
    may: everyone,
    answers: 200,
    call: () => '/patchbay/inbound-routing?source=10.1.1.1&number=1&realm=10.0.0.1',
  },
  'POST /patchbay/lcrs': {
    may: everyone,
    writes: true,
    answers: 201,
    call: async (world, caller) => {
      await withoutOwnRouting(world, caller)
      const { A, A2, B } = world.things
      const own = includes(ofA2, caller) ? A2 : includes([...ofB, ...ofQ], caller) ? B : A
      const body = { name: unique(), routes: [], default_voip_carrier_sid: own.voip_carrier_sid }
      return { path: '/patchbay/lcrs', body }
    },
  },
  'GET /patchbay/lcrs/:lcr_sid': {
    may: overRoutingOfA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => `/patchbay/lcrs/${things.A.lcr_sid}`,
  },
  'PUT /patchbay/lcrs/:lcr_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({
      path: `/patchbay/lcrs/${things.A.lcr_sid}`,
      body: { routes: [], default_voip_carrier_sid: things.A.voip_carrier_sid },
    }),
  },
  'GET /LcrRoutes': {
    may: overRoutingOfA,
    answers: 200,
    refused: unknownLcr,
    call: ({ things }) => `/LcrRoutes?lcr_sid=${things.A.lcr_sid}`,
  },
  'POST /LcrRoutes': {
    may: overRoutingOfA,
    writes: true,
    answers: 201,
    refused: unknownLcr,
    call: ({ things }) => ({ path: '/LcrRoutes', body: { lcr_sid: things.A.lcr_sid, regex: '^2', priority: 1 } }),
  },
  'GET /LcrRoutes/:lcr_route_sid': {
    may: overRoutingOfA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => `/LcrRoutes/${things.A.lcr_route_sid}`,
  },
  'PUT /LcrRoutes/:lcr_route_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({ path: `/LcrRoutes/${things.A.lcr_route_sid}`, body: { priority: 2 } }),
  },
  'DELETE /LcrRoutes/:lcr_route_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => `/LcrRoutes/${things.A.lcr_route_sid}`,
  },
  // A route of another tenant has no visible entries, like an unknown route.
  'GET /LcrCarrierSetEntries': {
    may: everyone,
    answers: 200,
    call: ({ things }) => `/LcrCarrierSetEntries?lcr_route_sid=${things.A.lcr_route_sid}`,
  },
  'POST /LcrCarrierSetEntries': {
    may: overRoutingOfA,
    writes: true,
    answers: 201,
    refused: [400, 'unknown lcr_route_sid'],
    call: ({ things }) => ({
      path: '/LcrCarrierSetEntries',
      body: { lcr_route_sid: things.A.lcr_route_sid, voip_carrier_sid: things.A.voip_carrier_sid },
    }),
  },
  'GET /LcrCarrierSetEntries/:lcr_carrier_set_entry_sid': {
    may: overRoutingOfA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => `/LcrCarrierSetEntries/${things.A.lcr_carrier_set_entry_sid}`,
  },
  'PUT /LcrCarrierSetEntries/:lcr_carrier_set_entry_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({
      path: `/LcrCarrierSetEntries/${things.A.lcr_carrier_set_entry_sid}`,
      body: { workload: 2 },
    }),
  },
  'DELETE /LcrCarrierSetEntries/:lcr_carrier_set_entry_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => `/LcrCarrierSetEntries/${things.A.lcr_carrier_set_entry_sid}`,
  },
})
