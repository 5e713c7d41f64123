import { isIpv4 } from '@patchbay/contract/shared/addresses'
import { phoneNumberLengths } from '@patchbay/contract/shared/column-lengths'
import type { InboundAnswer } from '@patchbay/contract/inbound-routing'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/queries.ts'
import { QueryFailed } from '../../feedback/query-failed.tsx'
import { formText } from '../../form/use-form-submit.ts'
import { useSetSearch, useScreenSearch } from '../../screen/links.tsx'
import { RoutingOutcome } from '../../sections/routing-outcome.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { TextField } from '../../ui/text-field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { FieldRow } from '../../ui/form-frame.tsx'
import frame from '../../ui/form-frame.module.css'
import styles from './inbound-explainer.module.css'
import { inboundExplainer, type InboundSearch } from '../../routes/inbound-explainer.ts'
import { describeEnd, describeStep } from './describe-step.ts'

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
  ...(number === '' ? { number: 'Enter the number that is called' } : {}),
  ...(realm === '' ? { realm: 'Enter the host that is called' } : {}),
})

const Answer = ({ answer }: { answer: InboundAnswer }) => {
  const { tone, title, lines } = describeEnd(answer.end)
  return (
    <section className={frame.section} aria-label="What becomes of the call">
      <RoutingOutcome isGood={tone === 'good'}>
        <h2>{title}</h2>
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </RoutingOutcome>
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
        Not looked at here: addresses that a carrier has registered from, which only the running platform knows; calls
        that name their application themselves (X-Application-Sid); and what devices may do once they have proved who
        they are.
      </p>
    </section>
  )
}

const Result = ({ question }: { question: Question }) => {
  const answer = useQuery(answerQuery(question))
  if (answer.data) return <Answer answer={answer.data} />
  return answer.error ? <QueryFailed error={answer.error} onRetry={() => void answer.refetch()} /> : <Spinner />
}

/** Explains how an inbound call would be routed, step by step, without making a call. */
export const InboundExplainerPage = (): ReactNode => {
  const search = useScreenSearch(inboundExplainer)
  const setSearch = useSetSearch(inboundExplainer)
  const [errors, setErrors] = useState<Faults>({})
  const [submitCount, setSubmitCount] = useState(0)
  const question = toQuestion(search)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const typed = {
      source: formText(form, 'source').trim(),
      number: formText(form, 'number').trim(),
      realm: formText(form, 'realm').trim(),
    }
    const currentErrors = validate(typed)
    setErrors(currentErrors)
    const [first] = Object.keys(currentErrors)
    if (first === undefined) {
      setSubmitCount(submitCount + 1)
      void setSearch(typed, { resetScroll: false })
    } else form.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus()
  }
  return (
    <>
      <ScreenHeader
        screen={inboundExplainer}
        description="Which carrier, number and application take it, or why it is refused. No call is made."
      />
      <div className={frame.form}>
        <form className={frame.section} aria-label="A call that comes in" noValidate onSubmit={submit}>
          <FieldRow>
            <TextField
              label="Source address"
              name="source"
              hint="Where the call comes from."
              required
              mono
              autoComplete="off"
              defaultValue={search.source ?? ''}
              error={errors.source}
            />
            <TextField
              label="Number called"
              name="number"
              hint="The user of the Request-URI."
              required
              mono
              maxLength={phoneNumberLengths.number}
              autoComplete="off"
              defaultValue={search.number ?? ''}
              error={errors.number}
            />
            <TextField
              label="Host called"
              name="realm"
              hint="Of the Request-URI: a SIP realm, or the address of an SBC."
              required
              mono
              maxLength={255}
              autoComplete="off"
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
