import { createUnsubscribeLinks } from '@patchbay/server/call-data/alerts/unsubscribe-links'
import { createAddressLink } from '@patchbay/server/resources/alert-destinations/address-confirmation'
import { storeMailbox } from '../../fixtures.ts'
import { admins, ofA, ofA2, ofB, ofP, overA, overP } from '../callers.ts'
import { defineRules, firstPage, notFound, privileges, unique } from '../rule.ts'

/** The position of an alert in the order of time. */
const position = `${Date.UTC(2026, 10, 1)}-0-${'0'.repeat(64)}`

export const rules = defineRules({
  'GET /Accounts/:account_sid/Alerts': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/Accounts/${sid.A}/Alerts?${firstPage}`,
  },
  'GET /ServiceProviders/:service_provider_sid/Alerts': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/ServiceProviders/${sid.P}/Alerts?${firstPage}`,
  },
  'GET /patchbay/accounts/:account_sid/alert-groups': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/alert-groups?${firstPage}`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/alert-groups': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/alert-groups?${firstPage}`,
  },
  'GET /patchbay/accounts/:account_sid/open-alerts': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/open-alerts`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/open-alerts': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/open-alerts`,
  },
  'GET /patchbay/accounts/:account_sid/new-alerts': {
    may: overA,
    usersOnly: true,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/new-alerts?count=1`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/new-alerts': {
    may: overP,
    usersOnly: true,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/new-alerts?count=1`,
  },
  'PUT /patchbay/accounts/:account_sid/seen-alerts': {
    may: overA,
    usersOnly: true,
    writes: true,
    allowViewOnly: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => ({ path: `/patchbay/accounts/${sid.A}/seen-alerts`, body: { until: position } }),
  },
  'PUT /patchbay/service-providers/:service_provider_sid/seen-alerts': {
    may: overP,
    usersOnly: true,
    writes: true,
    allowViewOnly: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => ({ path: `/patchbay/service-providers/${sid.P}/seen-alerts`, body: { until: position } }),
  },
  'GET /patchbay/alert-acknowledgments': {
    may: overA,
    answers: 200,
    refused: [400, 'unknown account_sid'],
    call: ({ sid }) =>
      `/patchbay/alert-acknowledgments?account_sid=${sid.A}&alert_type=no-tts&object_kind=vendor&object_id=google&time=2026-11-01T10:00:00Z`,
  },
  'POST /patchbay/alert-acknowledgments': {
    may: overA,
    writes: true,
    answers: 201,
    refused: [400, 'unknown account_sid'],
    call: ({ sid }) => ({
      path: '/patchbay/alert-acknowledgments',
      body: {
        account_sid: sid.A,
        alert_type: unique(),
        object_kind: 'account',
        until: '2026-11-01T10:00:00Z',
      },
    }),
  },
  'DELETE /patchbay/alert-acknowledgments/:alert_acknowledgment_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => `/patchbay/alert-acknowledgments/${things.A.alert_acknowledgment_sid}`,
  },
  'GET /patchbay/accounts/:account_sid/alert-destinations': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/alert-destinations`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/alert-destinations': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/alert-destinations`,
  },
  'POST /patchbay/alert-destinations': {
    // For users of an account, the resource always belongs to their account; see alert-destinations.test.ts.
    may: [...admins, ...ofP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: [400, 'unknown account_sid'],
    call: ({ sid }) => ({
      path: '/patchbay/alert-destinations',
      body: { name: unique(), kind: 'webhook', target: 'https://example.org/alerts', account_sid: sid.A },
    }),
  },
  'GET /patchbay/alert-destinations/:alert_destination_sid': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => `/patchbay/alert-destinations/${things.A.alert_destination_sid}`,
  },
  'PUT /patchbay/alert-destinations/:alert_destination_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({
      path: `/patchbay/alert-destinations/${things.A.alert_destination_sid}`,
      body: { name: unique() },
    }),
  },
  'DELETE /patchbay/alert-destinations/:alert_destination_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => `/patchbay/alert-destinations/${things.A.alert_destination_sid}`,
  },
  'GET /patchbay/alert-destinations/:alert_destination_sid/webhook-secret': {
    may: overA,
    // Read-only callers must not get secrets.
    writes: true,
    answers: 200,
    refused: notFound,
    call: ({ things }) => `/patchbay/alert-destinations/${things.A.alert_destination_sid}/webhook-secret`,
  },
  'GET /patchbay/alert-destinations/:alert_destination_sid/deliveries': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({
      path: `/patchbay/alert-destinations/${things.A.alert_destination_sid}/deliveries?${firstPage}`,
    }),
  },
  'POST /patchbay/alert-destinations/:alert_destination_sid/test': {
    may: overA,
    writes: true,
    answers: 200,
    refused: notFound,
    call: ({ things }) => `/patchbay/alert-destinations/${things.A.alert_destination_sid}/test`,
  },
  'POST /patchbay/alert-destinations/test': {
    // For users of an account, the destination always belongs to their account.
    may: [...admins, ...ofP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 200,
    refused: [400, 'unknown account_sid'],
    call: ({ sid }) => ({
      path: '/patchbay/alert-destinations/test',
      body: { kind: 'slack', target: 'https://slack.invalid/alerts', account_sid: sid.A },
    }),
  },
  'POST /patchbay/alert-destinations/:alert_destination_sid/confirmation': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: async ({ api, sid }) => {
      const { alert_destination_sid } = await storeMailbox(api, sid.A)
      return { path: `/patchbay/alert-destinations/${alert_destination_sid}/confirmation` }
    },
  },
  'GET /Accounts/:account_sid/AlertHooks': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/Accounts/${sid.A}/AlertHooks`,
  },
  'POST /Accounts/:account_sid/AlertHooks': {
    may: overA,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ sid }) => ({
      path: `/Accounts/${sid.A}/AlertHooks`,
      body: { type: 'json', address: 'https://example.org/' },
    }),
  },
  'GET /Accounts/:account_sid/AlertHooks/capabilities': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/Accounts/${sid.A}/AlertHooks/capabilities`,
  },
  'POST /Accounts/:account_sid/AlertHooks/test': {
    may: overA,
    writes: true,
    answers: 200,
    refused: privileges,
    call: ({ sid, things }) => ({
      path: `/Accounts/${sid.A}/AlertHooks/test`,
      body: { alert_hook_sid: things.A.alert_destination_sid },
    }),
  },
  'GET /Accounts/:account_sid/AlertHooks/:alert_hook_sid': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid, things }) => `/Accounts/${sid.A}/AlertHooks/${things.A.alert_destination_sid}`,
  },
  'PUT /Accounts/:account_sid/AlertHooks/:alert_hook_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid, things }) => ({
      path: `/Accounts/${sid.A}/AlertHooks/${things.A.alert_destination_sid}`,
      body: { type: 'json', address: `https://example.org/${unique()}` },
    }),
  },
  'DELETE /Accounts/:account_sid/AlertHooks/:alert_hook_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid, things }) => `/Accounts/${sid.A}/AlertHooks/${things.A.alert_destination_sid}`,
  },
  'POST /patchbay/alert-addresses/confirm': {
    may: 'public',
    answers: 204,
    call: async ({ api, sid }) => ({
      path: '/patchbay/alert-addresses/confirm',
      body: { link: (await createAddressLink(api.test.database, await storeMailbox(api, sid.A))) ?? '' },
    }),
  },
  'POST /patchbay/alert-addresses/stop': {
    may: 'public',
    answers: 204,
    call: async ({ api, sid }) => {
      const path = createUnsubscribeLinks(api.services.configuration).createPath(await storeMailbox(api, sid.A))
      return { path: '/patchbay/alert-addresses/stop', body: { link: path.split('/').at(-1) ?? '' } }
    },
  },
})
