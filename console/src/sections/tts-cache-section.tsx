import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { errorMessage } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { config } from '../api/configuration.ts'
import { ttsCacheQuery } from '../api/record-queries.ts'
import { ConfirmAction } from '../feedback/confirm-action.tsx'
import { useAction } from '../feedback/use-action.ts'
import { requiredSession } from '../session/session.ts'
import { viewOnlyReason } from '../session/view-only.ts'
import { Button } from '../ui/button.tsx'
import { FormSection } from '../ui/fields/form-frame.tsx'
import { countText } from '../ui/format/text.ts'

const noCache = 'The platform caches prompts in Redis, and no Redis is connected.'

const useTtsCache = (account_sid: string | undefined): { text: ReactNode; blocked: string | undefined } => {
  const isKept = !config().switches.has('no-tts-cache')
  const { data, error, isFetching, refetch } = useQuery({ ...ttsCacheQuery(account_sid), enabled: isKept })
  if (!isKept) return { text: noCache, blocked: noCache }
  if (data !== undefined)
    return {
      text:
        data.size === 0 ? 'No prompt is cached.' : `${countText(data.size, data.size, ['prompt', 'prompts'])} cached.`,
      blocked: data.size === 0 ? 'The cache is empty.' : undefined,
    }
  if (error === null) return { text: 'Counting…', blocked: 'Counting cached prompts.' }
  const retry = (
    <Button size="small" busy={isFetching} onClick={() => void refetch()}>
      Retry
    </Button>
  )
  const text = (
    <>
      Cached prompts could not be counted: {errorMessage(error)} {retry}
    </>
  )
  return { text, blocked: 'The number of cached prompts is unknown.' }
}

/** The number of cached prompts of an account or of all accounts, and the button that deletes them. */
export const TtsCacheSection = ({ account_sid }: { account_sid?: string }) => {
  const [asking, setAsking] = useState(false)
  const { text, blocked } = useTtsCache(account_sid)
  const clear = useAction({
    run: () =>
      account_sid === undefined
        ? api('DELETE /TtsCache', {})
        : api('DELETE /Accounts/:account_sid/TtsCache', { params: { account_sid } }),
    done: () => 'Tts Cache successfully cleaned',
    changes: [['tts-cache']],
    after: () => setAsking(false),
  })
  return (
    <FormSection
      title="TTS cache"
      description="Keeps synthesized speech for a while, so that repeated prompts need no request to the vendor."
    >
      <p aria-live="polite">{text}</p>
      <div>
        <Button disabledReason={viewOnlyReason(requiredSession().actor) ?? blocked} onClick={() => setAsking(true)}>
          Clear TTS cache
        </Button>
      </div>
      {asking && (
        <ConfirmAction
          action={clear}
          title="Clear TTS cache?"
          confirmLabel="Clear TTS cache"
          danger
          onCancel={() => setAsking(false)}
        >
          <p>
            {account_sid === undefined ? 'The cached prompts of all accounts' : 'The cached prompts of this account'}{' '}
            are removed. Until they are cached again, calls wait for the vendor and cause its charges.
          </p>
        </ConfirmAction>
      )}
    </FormSection>
  )
}
