import type { SpeechCredential, SpeechTest } from '@patchbay/contract/speech-credentials'
import { useEffect, useRef, useState } from 'react'
import { errorMessage } from '../../api/api-error.ts'
import { queryClient } from '../../api/query-client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { failureReason, type TestResult, toHealth } from './outcome.ts'
import { trySpeech } from './queries.ts'
import { getUses } from './service.ts'

/** Results of the last tests of speech services, and a queue for new tests. */

export type Outcome = 'testing' | SpeechTest | { failed: string }

export type Health = 'ok' | 'fail' | 'not tested' | 'testing' | 'error'

export interface ServiceHealth {
  health: Health
  reason: string
}

const toStoredResult = (tested: 0 | 1 | null): TestResult =>
  tested === null ? { status: 'not tested' } : { status: tested ? 'ok' : 'fail', reason: 'the last test failed' }

/** Returns the health according to a test on this page, or else according to the stored result of the last test. */
export const healthOfService = (
  service: Pick<SpeechCredential, 'use_for_tts' | 'use_for_stt' | 'tts_tested_ok' | 'stt_tested_ok'>,
  outcome: Outcome | undefined,
): ServiceHealth => {
  if (outcome === 'testing') return { health: 'testing', reason: '' }
  if (outcome && 'failed' in outcome) return { health: 'error', reason: outcome.failed }
  const { tts, stt } = outcome ?? {
    tts: toStoredResult(service.tts_tested_ok),
    stt: toStoredResult(service.stt_tested_ok),
  }
  const uses = getUses(service)
  const health = toHealth(uses, tts, stt)
  // Without a result, whether the vendor has a test is unknown.
  const isUnknown = outcome === undefined && health === 'not tested' && (uses.tts || uses.stt)
  return { health, reason: isUnknown ? '' : failureReason(uses, tts, stt) }
}

const concurrency = 3

/** SIDs of services that were tested since the page was loaded, whether the test passed or not. */
const testedSids = new Set<string>()

type Service = Pick<SpeechCredential, 'speech_credential_sid'>

export const useTests = (owner: OwnerSid) => {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const waiting = useRef<string[]>([])
  const running = useRef(0)
  const isUnmounted = useRef(false)
  useEffect(() => {
    isUnmounted.current = false
    return () => {
      isUnmounted.current = true
    }
  }, [])

  const put = (sid: string, outcome: Outcome) => setOutcomes((before) => new Map(before).set(sid, outcome))

  const work = async (): Promise<void> => {
    for (let sid = waiting.current.shift(); sid !== undefined && !isUnmounted.current; sid = waiting.current.shift()) {
      testedSids.add(sid)
      try {
        put(sid, await trySpeech(owner, sid))
      } catch (error) {
        put(sid, { failed: errorMessage(error) })
      }
    }
    running.current -= 1
    // Refetches the stored results after the last running test.
    if (running.current === 0) void queryClient.invalidateQueries({ queryKey: ['speech'] })
  }

  const test = (services: readonly Service[]) => {
    for (const { speech_credential_sid: sid } of services)
      if (outcomes.get(sid) !== 'testing') {
        waiting.current.push(sid)
        put(sid, 'testing')
      }
    while (running.current < concurrency && running.current < waiting.current.length) {
      running.current += 1
      void work()
    }
  }

  return { outcomes, test, isTesting: [...outcomes.values()].includes('testing') }
}

/** Returns whether a service is in use but has no test result yet. The list tests each of these services once. */
export const isUntried = (service: SpeechCredential): boolean =>
  service.last_tested === null &&
  Boolean(service.use_for_tts || service.use_for_stt) &&
  !testedSids.has(service.speech_credential_sid)
