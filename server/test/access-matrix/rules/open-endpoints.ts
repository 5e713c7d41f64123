import { admins, everyone } from '../callers.ts'
import { defineRules, privileges } from '../rule.ts'

/** Endpoints of the platform that answer without a token to trusted networks. Tests connect from loopback. */

export const rules = defineRules({
  'GET /AccountTest/:service_provider_sid': {
    may: 'public',
    answers: 200,
    call: ({ sid }) => `/AccountTest/${sid.P}`,
  },
  'POST /messaging/:provider': {
    may: 'public',
    answers: 404,
    says: 'Not Found',
    call: () => ({ path: '/messaging/twilio', body: { from: '1', to: '2', text: 'Hello' } }),
  },
  'POST /outboundSMS': {
    may: 'public',
    answers: 422,
    says: 'outboundSMS - unable to locate sms provider to use to send message',
    call: () => ({ path: '/outboundSMS', body: { from: '1', to: '2', text: 'Hello' } }),
  },
  'POST /Webhooks': {
    may: everyone,
    writes: true,
    answers: 201,
    call: () => ({ path: '/Webhooks', body: { url: 'https://hooks.example.org' } }),
  },
  'GET /Webhooks/:webhook_sid': {
    may: admins,
    answers: 200,
    refused: privileges,
    call: async ({ api }) => {
      const { body } = await api.admin.post('/Webhooks', { url: 'https://hooks.example.org' })
      return `/Webhooks/${String(Reflect.get(Object(body), 'sid'))}`
    },
  },
})
