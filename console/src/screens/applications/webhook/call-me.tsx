import type { Application } from '@patchbay/contract/applications'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api/client.ts'
import { useAction } from '../../../feedback/use-action.ts'
import { FormDialog } from '../../../form/form-dialog.tsx'
import { liveCalls } from '../../../routes/live-calls.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import { applicationUsesQuery } from '../used-by.ts'

interface CallMeProps {
  application: Application & { account_sid: string }
  onClose: () => void
}

/** Removes the characters that only structure a number. */
const toDialed = (typed: string): string => typed.replace(/[\s().-]/g, '')

const isDialed = (number: string): boolean => /^\+?\d{3,15}$/.test(number)

const invalidNumber = 'Enter a phone number with country code, such as +1 212 555 0123'

/** Calls a phone through the account's carrier and connects it to the application. */
export const CallMe = ({ application, onClose }: CallMeProps) => {
  const { application_sid, account_sid, name } = application
  const [typed, setTyped] = useState('')
  const [caller, setCaller] = useState<string>()
  const [isChecked, setChecked] = useState(false)
  const uses = useQuery(applicationUsesQuery(application_sid)).data
  const from = caller ?? uses?.phone_numbers.first[0]?.name ?? ''
  const [number, callerId] = [toDialed(typed), toDialed(from)]
  const call = useAction({
    run: (numbers: { from: string; number: string }) =>
      api('POST /Accounts/:account_sid/Calls', {
        params: { account_sid },
        body: { application_sid, from: numbers.from, to: { type: 'phone', number: numbers.number } },
      }),
    quiet: true,
  })
  const readNumbers = () => {
    setChecked(true)
    return isDialed(number) && isDialed(callerId) ? { from: callerId, number } : undefined
  }
  if (call.isSuccess)
    return (
      <Dialog title="Your phone will ring" onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
        <p>
          The platform calls <strong>{number}</strong> and runs <bdi>{name}</bdi> when you answer. The call appears
          under{' '}
          <ScreenLink to={liveCalls} search={{ account: account_sid }}>
            Live calls
          </ScreenLink>
          .
        </p>
      </Dialog>
    )
  return (
    <FormDialog title="Call me" submitLabel="Call" action={call} readInput={readNumbers} onClose={onClose}>
      <p>Makes a real call through a carrier of the account. The saved application answers it.</p>
      <TextField
        label="Your phone number"
        type="tel"
        required
        autoComplete="tel"
        data-autofocus
        value={typed}
        error={isChecked && !isDialed(number) ? invalidNumber : undefined}
        onChange={({ target }) => setTyped(target.value)}
      />
      <TextField
        label="Caller ID"
        hint="The number that your phone displays. Carriers reject numbers that are not yours."
        type="tel"
        required
        autoComplete="off"
        value={from}
        error={isChecked && !isDialed(callerId) ? invalidNumber : undefined}
        onChange={({ target }) => setCaller(target.value)}
      />
    </FormDialog>
  )
}
