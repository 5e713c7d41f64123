import { type FormEvent, type ReactNode, useState } from 'react'
import { errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { alertMails } from '../../routes/alert-subscription.ts'
import { useScreenParams } from '../../screen/links.tsx'
import { PublicPage } from '../../screen/public-page.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'

const actions = {
  confirm: {
    description: 'Patchbay was set up to send alerts to your email address. Confirm the address to receive them.',
    button: 'Confirm address',
    done: 'Your address is confirmed. You will receive alerts from now on. Each email contains a link to unsubscribe.',
    run: (link: string) => api('POST /patchbay/alert-addresses/confirm', { body: { link } }, { ownFailures: true }),
  },
  stop: {
    description: 'Patchbay sends alerts to your email address. You can unsubscribe here.',
    button: 'Unsubscribe',
    done: 'You are unsubscribed. You receive no more alerts unless you confirm the address again.',
    run: (link: string) => api('POST /patchbay/alert-addresses/stop', { body: { link } }, { ownFailures: true }),
  },
}

/**
 * Target of the links in alert emails. The action runs only when the user presses the button, because mail scanners
 * open links too.
 */
export const AlertSubscriptionPage = (): ReactNode => {
  const { act, link } = useScreenParams(alertMails)
  const { description, button, done, run } = actions[act === 'stop' ? 'stop' : 'confirm']
  const [state, setState] = useState<'asks' | 'runs' | 'done'>('asks')
  const [failure, setFailure] = useState<string>()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (state === 'runs') return
    setState('runs')
    setFailure(undefined)
    try {
      await run(link)
      setState('done')
    } catch (error) {
      setFailure(errorMessage(error))
      setState('asks')
    }
  }

  return (
    <PublicPage screen={alertMails} description={description}>
      <form onSubmit={(event) => void submit(event)} aria-label={alertMails.title}>
        <div role="status">{state === 'done' && <Banner>{done}</Banner>}</div>
        <div role="alert">{failure && <Banner tone="bad">{failure}</Banner>}</div>
        {state !== 'done' && (
          <Button type="submit" variant="primary" busy={state === 'runs'}>
            {button}
          </Button>
        )}
      </form>
    </PublicPage>
  )
}
