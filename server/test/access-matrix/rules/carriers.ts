import { member } from '@patchbay/testkit/test-api'
import { admins, everyone, membersOfP, ofA, ofA2, ofB, ofP, overA, overP } from '../callers.ts'
import { defineRules, permissions, privileges, recordRules, unique, withoutRouting } from '../rule.ts'

/** A carrier template that every installation has (docs/reference/platform-api/carriers.md#initial-templates). */
const twilio = '7d509a18-bbff-4c5d-b21e-b99bf8f8c49a'

export const rules = defineRules({
  'GET /VoipCarriers': { may: everyone, answers: 200, call: () => '/VoipCarriers' },
  'GET /ServiceProviders/:service_provider_sid/VoipCarriers': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/ServiceProviders/${sid.P}/VoipCarriers`,
  },
  'GET /Accounts/:account_sid/VoipCarriers': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/Accounts/${sid.A}/VoipCarriers`,
  },
  'POST /VoipCarriers': {
    may: everyone,
    writes: true,
    answers: 201,
    call: () => ({ path: '/VoipCarriers', body: { name: unique() } }),
  },
  'POST /ServiceProviders/:service_provider_sid/VoipCarriers': {
    may: overP,
    writes: true,
    answers: 201,
    refused: [403, 'insufficient permissions to update service provider'],
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/VoipCarriers`, body: { name: unique() } }),
  },
  'POST /Accounts/:account_sid/VoipCarriers': {
    may: overA,
    writes: true,
    answers: 201,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/VoipCarriers`, body: { name: unique() } }),
  },
  'GET /VoipCarriers/:voip_carrier_sid': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => `/VoipCarriers/${things.A.voip_carrier_sid}`,
  },
  'PUT /VoipCarriers/:voip_carrier_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: [422, 'carrier belongs to a different user'],
    call: ({ things }) => ({ path: `/VoipCarriers/${things.A.voip_carrier_sid}`, body: { name: unique() } }),
  },
  'PUT /ServiceProviders/:service_provider_sid/VoipCarriers/:voip_carrier_sid': {
    may: overP,
    writes: true,
    answers: 204,
    refused: [403, 'insufficient permissions to update service provider'],
    call: ({ sid, things }) => ({
      path: `/ServiceProviders/${sid.P}/VoipCarriers/${things.A.voip_carrier_sid}`,
      body: { name: unique() },
    }),
  },
  'PUT /Accounts/:account_sid/VoipCarriers/:voip_carrier_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: permissions,
    call: ({ sid, things }) => ({
      path: `/Accounts/${sid.A}/VoipCarriers/${things.A.voip_carrier_sid}`,
      body: { name: unique() },
    }),
  },
  'DELETE /VoipCarriers/:voip_carrier_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: [422, 'carrier belongs to a different user'],
    call: async (world) => {
      await withoutRouting(world, 'A')
      return { path: `/VoipCarriers/${world.things.A.voip_carrier_sid}` }
    },
  },
  'POST /patchbay/carriers': {
    may: everyone,
    writes: true,
    answers: 201,
    call: () => ({
      path: '/patchbay/carriers',
      body: {
        carrier: { name: unique() },
        sip_gateways: [{ ipv4: '10.1.2.3' }],
        smpp_gateways: [{ ipv4: 'a.example' }],
      },
    }),
  },
  'GET /patchbay/carriers/:voip_carrier_sid': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => `/patchbay/carriers/${things.A.voip_carrier_sid}`,
  },
  'PUT /patchbay/carriers/:voip_carrier_sid': {
    may: overA,
    writes: true,
    answers: 200,
    refused: [422, 'carrier belongs to a different user'],
    call: ({ things }) => ({
      path: `/patchbay/carriers/${things.A.voip_carrier_sid}`,
      body: { carrier: { name: unique() }, sip_gateways: [{ ipv4: '10.1.2.3' }] },
    }),
  },
  'GET /patchbay/carriers/:voip_carrier_sid/used-by': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => `/patchbay/carriers/${things.A.voip_carrier_sid}/used-by`,
  },
  'GET /patchbay/carriers/:voip_carrier_sid/health': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => `/patchbay/carriers/${things.A.voip_carrier_sid}/health`,
  },
  'POST /patchbay/carriers/:voip_carrier_sid/connection-check': {
    may: overA,
    writes: true,
    answers: 200,
    refused: privileges,
    call: ({ things }) => `/patchbay/carriers/${things.A.voip_carrier_sid}/connection-check`,
  },
  'POST /patchbay/carriers/connection-check': {
    // For users of an account, the gateways always belong to their account.
    may: [...admins, ...ofP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 200,
    refused: [400, 'unknown account_sid'],
    call: ({ sid }) => ({
      path: '/patchbay/carriers/connection-check',
      // A network is not checked.
      body: { account_sid: sid.A, gateways: [{ ipv4: '10.0.0.0', netmask: 24, outbound: false }] },
    }),
  },
  'GET /patchbay/carriers/:voip_carrier_sid/health-changes': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => `/patchbay/carriers/${things.A.voip_carrier_sid}/health-changes?page=1&count=25`,
  },
  'GET /patchbay/carrier-health': {
    may: everyone,
    answers: 200,
    call: ({ things }) => `/patchbay/carrier-health?voip_carrier_sid=${things.A.voip_carrier_sid}`,
  },
  'GET /patchbay/gateway-counts': {
    may: everyone,
    answers: 200,
    call: ({ things }) => `/patchbay/gateway-counts?voip_carrier_sid=${things.A.voip_carrier_sid}`,
  },
  'GET /SipGateways': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => `/SipGateways?voip_carrier_sid=${things.A.voip_carrier_sid}`,
  },
  'POST /SipGateways': {
    may: overA,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ things }) => ({
      path: '/SipGateways',
      body: { voip_carrier_sid: things.A.voip_carrier_sid, ipv4: '10.1.2.3' },
    }),
  },
  ...recordRules('/SipGateways', 'sip_gateway_sid', () => ({ port: 5080 }), { read: privileges, write: privileges }),
  'GET /SmppGateways': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => `/SmppGateways?voip_carrier_sid=${things.A.voip_carrier_sid}`,
  },
  'POST /SmppGateways': {
    may: overA,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ things }) => ({
      path: '/SmppGateways',
      body: { voip_carrier_sid: things.A.voip_carrier_sid, ipv4: '10.1.2.3' },
    }),
  },
  ...recordRules('/SmppGateways', 'smpp_gateway_sid', () => ({ port: 5080 }), { read: privileges, write: privileges }),
  'GET /PredefinedCarriers': { may: 'public', answers: 200, call: () => '/PredefinedCarriers' },
  'POST /ServiceProviders/:service_provider_sid/PredefinedCarriers/:predefined_carrier_sid': {
    may: overP,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ sid }) => `/ServiceProviders/${sid.P}/PredefinedCarriers/${twilio}`,
  },
  'POST /Accounts/:account_sid/PredefinedCarriers/:predefined_carrier_sid': {
    may: overA,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ sid }) => `/Accounts/${sid.A}/PredefinedCarriers/${twilio}`,
  },
  'GET /Sbcs': { may: everyone, answers: 200, call: () => '/Sbcs' },
  'POST /Sbcs': {
    may: admins,
    writes: true,
    answers: 201,
    refused: privileges,
    call: () => ({ path: '/Sbcs', body: { ipv4: '10.9.9.9' } }),
  },
  'DELETE /Sbcs/:sbc_address_sid': {
    may: admins,
    writes: true,
    answers: 204,
    refused: privileges,
    call: async ({ api }) => `/Sbcs/${member(await api.admin.post('/Sbcs', { ipv4: '10.9.9.9' }), 'sid')}`,
  },
  'GET /Smpps': { may: everyone, answers: 200, call: () => '/Smpps' },
  'POST /Smpps': {
    may: admins,
    writes: true,
    answers: 201,
    refused: privileges,
    call: () => ({ path: '/Smpps', body: { ipv4: '10.9.9.9' } }),
  },
  'DELETE /Smpps/:smpp_address_sid': {
    may: admins,
    writes: true,
    answers: 204,
    refused: privileges,
    call: async ({ api }) => `/Smpps/${member(await api.admin.post('/Smpps', { ipv4: '10.9.9.9' }), 'sid')}`,
  },
})
