import { type FormEvent, type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { errorMessage } from '../../api/api-error.ts'
import { useScreenParams } from '../../screen/links.tsx'
import { PublicPage } from '../../screen/public-page.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { alertMails } from '../../routes/alert-subscription.ts'

const actions = {
  confirm: {
    description: 'Alerts of a Patchbay are to be sent to your e-mail address. They are once you confirm it here.',
    button: 'Confirm address',
    done: 'The address is confirmed. Alerts are sent to it from now on; each mail says how to stop them.',
    run: (link: string) => api('POST /patchbay/alert-addresses/confirm', { body: { link } }, { ownFailures: true }),
  },
  stop: {
    description: 'Alerts of a Patchbay are sent to your e-mail address. Here you end that.',
    button: 'Stop these mails',
    done: 'No more of these mails are sent to you, unless you confirm the address anew.',
    run: (link: string) => api('POST /patchbay/alert-addresses/stop', { body: { link } }, { ownFailures: true }),
  },
}

/**
 * Target of the links in alert e-mails. The action runs only when the user presses the button, because mail scanners
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
