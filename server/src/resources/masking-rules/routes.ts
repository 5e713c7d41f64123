import type { maskingRuleEndpoints } from '@patchbay/contract/masking-rules'
import { validatePatterns } from '../../call-data/masking/validate-patterns.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { createFairQueue, fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import { changeMaskingRules } from './store.ts'

/** Tests that a tenant can have running or waiting. */
const maxTests = 8

export const maskingRuleRoutes = ({ masking, write }: Services): Handlers<keyof typeof maskingRuleEndpoints> => {
  const tests = createFairQueue({ name: 'masking_tests', concurrency: 1, max: maxTests })
  return {
    'GET /patchbay/ServiceProviders/:service_provider_sid/MaskingRules': async ({ params }) => {
      const { service_provider_sid, ...rules } = await masking.rules.ofProvider(params.service_provider_sid)
      const exceededAt = masking.overruns.getLastAt(service_provider_sid ?? params.service_provider_sid)
      return ok({
        ...rules,
        patterns_exceeded_at: exceededAt === undefined ? null : new Date(exceededAt).toISOString(),
      })
    },

    'PUT /patchbay/ServiceProviders/:service_provider_sid/MaskingRules': async ({ actor, params, body }) => {
      await validatePatterns(body.patterns ?? [])
      await write(actor, (tx) => changeMaskingRules(tx, params.service_provider_sid, body))
    },

    'POST /patchbay/ServiceProviders/:service_provider_sid/MaskingRules/test': async ({
      actor,
      params: { service_provider_sid },
      body,
      signal,
    }) => {
      const { text, ...textRules } = body
      const rules = { ...textRules, mute_recordings: 0, service_provider_sid } as const
      await validatePatterns(rules.patterns)
      const mask = () => masking.maskLines(rules, [text])
      const [masked = ''] = await tests.run(fairnessKey(actor), (runStep) => runStep(mask), signal)
      return ok({ text: masked })
    },
  }
}
