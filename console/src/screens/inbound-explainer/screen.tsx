import type { InboundAnswer } from '@patchbay/contract/inbound-routing'
import { phoneNumberLengths } from '@patchbay/contract/phone-numbers/record'
import { isIpv4 } from '@patchbay/contract/shared/addresses'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { QueryFailed } from '../../feedback/query-failed.tsx'
import { NumberField } from '../../fields/number-field.tsx'
import { SuggestedField } from '../../fields/suggested-field.tsx'
import { useFormErrors } from '../../form/use-form-errors.ts'
import { formText } from '../../form/use-form-submit.ts'
import { ExportMenu } from '../../list/export-menu.tsx'
import { type InboundSearch, inboundExplainer } from '../../routes/inbound-explainer.ts'
import { useScreenSearch, useSetSearch } from '../../screen/links.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { currentHealthQuery } from '../../sections/carrier-health/queries.ts'
import { RoutingOutcome } from '../../sections/routing-outcome.tsx'
import { requiredSession } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { FieldRow } from '../../ui/fields/form-frame.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { describeEnd, describeStep } from './describe-step.ts'
import styles from './inbound-explainer.module.css'
import { SourceFields } from './source-fields.tsx'
import { useHosts } from './use-hosts.ts'

type Question = Required<InboundSearch>

const answerQuery = (query: Question) =>
  queryOptions({
    queryKey: ['inbound-routing', query],
    queryFn: (context) => api('GET /patchbay/inbound-routing', { query }, queryCallOptions(context)),
    // Each submit reads the current configuration. Nothing refetches in the background.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

const toQuestion = ({ source, number, realm }: InboundSearch): Question | undefined =>
  source && number && realm ? { source, number, realm } : undefined

type Faults = Partial<Record<keyof Question, string>>

const validate = ({ source, number, realm }: Question): Faults => ({
  ...(isIpv4(source) ? {} : { source: 'Enter an IPv4 address such as 203.0.113.7' }),
  ...(number === '' ? { number: 'Enter the called number' } : {}),
  ...(realm === '' ? { realm: 'Enter the called host' } : {}),
})

const Answer = ({ question, answer }: { question: Question; answer: InboundAnswer }) => {
  const sids = answer.end.is === 'taken' && answer.end.carrier !== null ? [answer.end.carrier.sid] : []
  const health = useQuery(currentHealthQuery(sids))
  if (health.isLoading) return <Spinner />
  const { outcome, title, lines } = describeEnd(answer, health.data?.get(sids[0] ?? ''))
  return (
    <section className={styles['part']} aria-label="Result">
      <div className={styles['outcome']}>
        <RoutingOutcome outcome={outcome}>
          <h2>{title}</h2>
          {lines.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </RoutingOutcome>
        <ExportMenu endpoint="GET /patchbay/inbound-routing" input={{ query: question }} rows={() => [answer]} />
      </div>
      {answer.steps.length > 0 && (
        <ol className={styles['steps']} aria-label="Steps">
          {answer.steps.map((step) => {
            const description = describeStep(step)
            return (
              <li key={step.is}>
                <div>
                  <h3>{description.title}</h3>
                  <ul className={classes(styles['lines'], description.isMiss && styles['miss'])}>
                    {description.lines.map((line, at) => (
                      // Two lines can have the same text, and their order never changes.
                      <li key={`${at} ${line}`}>{line}</li>
                    ))}
                  </ul>
                </div>
              </li>
            )
          })}
        </ol>
      )}
      <p className="note">
        This test does not cover addresses that a carrier has registered from, calls that name their application
        (X-Application-Sid), and permissions of authenticated devices.
      </p>
    </section>
  )
}

const Result = ({ question }: { question: Question }) => {
  const answer = useQuery(answerQuery(question))
  if (answer.data) return <Answer question={question} answer={answer.data} />
  return answer.error ? <QueryFailed error={answer.error} onRetry={() => void answer.refetch()} /> : <Spinner />
}

const readQuestion = (form: HTMLFormElement) => ({
  source: formText(form, 'source').trim(),
  number: formText(form, 'number').trim(),
  realm: formText(form, 'realm').trim(),
})

/** Explains how an inbound call would be routed, step by step, without making a call. */
export const InboundExplainerPage = (): ReactNode => {
  const search = useScreenSearch(inboundExplainer)
  const setSearch = useSetSearch(inboundExplainer)
  const { errors, findErrors, onChange } = useFormErrors((form): Faults => validate(readQuestion(form)))
  const [submitCount, setSubmitCount] = useState(0)
  const question = toQuestion(search)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const typed = readQuestion(form)
    if (findErrors(form)) {
      const [first = ''] = Object.keys(validate(typed))
      form.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus()
      return
    }
    setSubmitCount(submitCount + 1)
    void setSearch(typed, { resetScroll: false })
  }
  return (
    <>
      <ScreenHeader
        screen={inboundExplainer}
        description="Find out which carrier, number, and application handle a call, or why it is rejected. No call is made."
      />
      <div className={styles['page']}>
        <form className={styles['part']} aria-label="Incoming call" noValidate onSubmit={submit} onChange={onChange}>
          <FieldRow>
            <SourceFields defaultValue={search.source ?? ''} error={errors.source} />
            <NumberField
              account_sid={requiredSession().actor.account_sid ?? ''}
              label="Called number"
              name="number"
              hint="User part of the Request-URI."
              required
              mono
              maxLength={phoneNumberLengths.number}
              defaultValue={search.number ?? ''}
              error={errors.number}
            />
            <SuggestedField
              label="Called host"
              name="realm"
              hint="Host part of the Request-URI: a SIP realm or the address of an SBC."
              required
              mono
              maxLength={255}
              suggestions={useHosts()}
              defaultValue={search.realm ?? ''}
              error={errors.realm}
            />
          </FieldRow>
          <div>
            <Button type="submit" variant="primary">
              Explain
            </Button>
          </div>
        </form>
        {question && <Result key={submitCount} question={question} />}
      </div>
    </>
  )
}
