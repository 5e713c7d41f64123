import type { industries } from './names.ts'

/** Lists the texts of callers and voice agents in the demo calls with a recording. */

/** A prompt of the agent and the reply of the caller. Durations are milliseconds. */
export interface Exchange {
  prompt: string
  /** The audio of the prompt comes from the cache. */
  isCached?: boolean
  /** The caller begins to speak before the prompt ends. */
  isInterrupted?: boolean
  /** Without a reply, the agent waits until it times out. */
  reply?: string
  /** Confidence of the recognition, from 0 to 1. Most replies are understood well. */
  confidence?: number
  /** Time before the caller speaks, if it is long. */
  pauseMs?: number
  /** Key that the caller presses after the reply. */
  digit?: string
  /** Time to the first token of the model that answers the reply, if it is long. */
  modelMs?: number
  /** Tool that the model calls before it answers, with its duration and error. */
  tool?: { name: string; ms: number; error?: string }
  /** Destination to which the agent forwards the call after the prompt. */
  transfer?: string
}

/** A conversation, and the industries of the companies in which it takes place. */
export interface AgentScript {
  industries: readonly (typeof industries)[number][]
  /** Prompts contain `{company}` for its name. */
  exchanges: readonly Exchange[]
}

export const agentScripts: readonly AgentScript[] = [
  {
    industries: ['Travel'],
    exchanges: [
      {
        prompt: 'Welcome to {company}. How can I help you today?',
        reply: 'I want to change my flight to Lisbon.',
      },
      {
        prompt: 'Sure. Please tell me your booking code.',
        reply: 'X ray five seven Q.',
        tool: { name: 'find_booking', ms: 640 },
      },
      {
        prompt:
          'I found your booking for Thursday at seven in the evening. Before we change it, let me read the fare rules.',
        isInterrupted: true,
        reply: 'I know the rules. Just take Friday morning.',
        modelMs: 1900,
        tool: { name: 'find_flights', ms: 1100 },
      },
      { prompt: 'There is a flight at nine fifteen. Shall I book it?', reply: 'Yes please.' },
      { prompt: 'Done. You will get a message with the details.' },
    ],
  },
  {
    industries: ['Dental', 'Clinics'],
    exchanges: [
      { prompt: '{company}, this is the assistant. What can I do for you?', reply: 'My tooth hurts since yesterday.' },
      {
        prompt: 'I am sorry to hear that. Which day suits you?',
        reply: 'Tomorrow if there is anything.',
        confidence: 0.52,
        tool: { name: 'list_appointments', ms: 420 },
      },
      { prompt: 'Doctor Reyes has time at ten thirty.', reply: 'Good, I take it.', modelMs: 2400 },
      { prompt: 'You are booked for tomorrow at ten thirty.' },
    ],
  },
  {
    industries: ['Couriers', 'Logistics'],
    exchanges: [
      {
        prompt: '{company}. Please say or enter your tracking number.',
        reply: 'Four four one seven nine.',
        digit: '1',
      },
      {
        prompt: 'One moment, I am looking it up.',
        reply: 'Thanks.',
        tool: { name: 'track_parcel', ms: 3100, error: 'The tracking service did not respond within 3 s' },
      },
      {
        prompt: 'I cannot reach the tracking service. I will connect you with a colleague.',
        transfer: '+442071838750',
      },
    ],
  },
  {
    industries: ['Fitness'],
    exchanges: [
      { prompt: '{company}. How can I help?', reply: 'I lost my membership card.', confidence: 0.97 },
      {
        prompt: 'I can block it. What are the last four digits?',
        pauseMs: 6500,
        reply: 'Let me see. Two zero eight eight.',
      },
      { prompt: 'Thank you. Shall I block the card that ends with two zero eight eight?', reply: 'Yes.' },
      { prompt: 'The card is blocked. A new one will arrive within five days.' },
    ],
  },
  {
    industries: ['Hotels'],
    exchanges: [
      { prompt: '{company}, reservations. Which dates are you interested in?', reply: 'The second week of December.' },
      {
        prompt: 'For how many guests?',
        isCached: true,
        reply: 'Two adults and a child.',
        tool: { name: 'check_rooms', ms: 880 },
      },
      {
        prompt: 'We have a family room with a view of the lake for two hundred and ten a night, breakfast included.',
        isInterrupted: true,
        reply: 'Is there anything cheaper?',
        modelMs: 1600,
      },
      { prompt: 'A room to the courtyard costs one hundred and sixty.', reply: 'I will think about it.' },
    ],
  },
  {
    industries: ['Energy'],
    exchanges: [
      {
        prompt: '{company}. Are you calling about a bill or an outage?',
        reply: 'The power is out.',
        confidence: 0.58,
      },
      {
        prompt: 'Are you calling about a power outage?',
        isCached: true,
        reply: 'Yes, on Mill Street.',
        confidence: 0.49,
      },
      { prompt: 'Mill Street, is that right?', reply: 'Yes.', tool: { name: 'find_outage', ms: 510 } },
      { prompt: 'A team is on its way. The power should be back by four.' },
    ],
  },
  {
    industries: ['Foods'],
    exchanges: [
      { prompt: '{company}. What would you like to order?', reply: 'A large one with mushrooms and olives.' },
      { prompt: 'Anything to drink?', isCached: true },
      { prompt: 'Are you still there?', isCached: true, pauseMs: 4800, reply: 'Yes sorry. No drinks.' },
      { prompt: 'That is fourteen fifty. It will be there in thirty minutes.' },
    ],
  },
  {
    industries: ['Telecom'],
    exchanges: [
      { prompt: '{company} support. Please describe your problem.', reply: 'My router blinks red.', modelMs: 3400 },
      {
        prompt: 'Please unplug it, wait ten seconds, and plug it in again.',
        pauseMs: 11_000,
        reply: 'Now it is green.',
      },
      { prompt: 'Great. Is there anything else?', isCached: true, reply: 'No, thank you.' },
      { prompt: 'Have a nice day.', isCached: true },
    ],
  },
  {
    industries: ['Motors'],
    exchanges: [
      {
        prompt: '{company}, car rental. Do you want to book or to return a car?',
        reply: 'Return. I am late by an hour.',
      },
      {
        prompt: 'No problem. I will extend your rental. Please note that an additional hour costs nine dollars.',
        isInterrupted: true,
        reply: 'That is fine.',
        tool: { name: 'extend_rental', ms: 700 },
      },
      { prompt: 'Your rental ends at six now.', reply: 'Thank you.' },
    ],
  },
  {
    industries: ['Insurance'],
    exchanges: [
      {
        prompt: '{company}, claims. May I have your policy number?',
        reply: 'Seven seven one, zero, three.',
        confidence: 0.55,
      },
      {
        prompt: 'I did not find a policy with this number. Could you repeat it?',
        reply: 'Seven seven one zero zero three.',
        tool: { name: 'find_policy', ms: 950 },
      },
      { prompt: 'Thank you. What happened?', isCached: true, reply: 'A tree fell on my car.', modelMs: 2100 },
      { prompt: 'I am glad that you are well. An expert will call you today.', transfer: '+442071838751' },
    ],
  },
  {
    industries: ['Dental', 'Clinics'],
    exchanges: [
      { prompt: '{company}. How can I help you?', reply: 'I have to move my appointment on Monday.' },
      {
        prompt: 'Sure. What is your date of birth?',
        pauseMs: 5200,
        reply: 'The third of May, nineteen eighty four.',
        tool: { name: 'find_appointment', ms: 760 },
      },
      {
        prompt: 'I see your appointment on Monday at nine. Before we move it, let me read the terms of cancellation.',
        isInterrupted: true,
        reply: 'That is fine. Is Thursday possible?',
        modelMs: 2100,
        tool: { name: 'list_appointments', ms: 540 },
      },
      { prompt: 'Thursday at two in the afternoon is free. Shall I book it?', reply: 'Yes please.' },
      { prompt: 'Done. We will see you on Thursday.' },
    ],
  },
  {
    industries: ['Dental', 'Clinics'],
    exchanges: [
      { prompt: '{company}. What can I do for you?', reply: 'I have a question about my bill.', confidence: 0.57 },
      { prompt: 'Are you calling about a bill?', isCached: true, reply: 'Yes.', confidence: 0.92 },
      {
        prompt: 'Please say or enter the number of the bill.',
        reply: 'Two zero seven one.',
        digit: '2',
        tool: { name: 'find_bill', ms: 3000, error: 'The billing service did not respond within 3 s' },
      },
      { prompt: 'I cannot reach our billing service. I will connect you with a colleague.', transfer: '+442071838752' },
    ],
  },
  {
    industries: ['Dental', 'Clinics'],
    exchanges: [
      { prompt: '{company}. Would you like an appointment?', reply: 'Yes, for a check up.', modelMs: 2600 },
      { prompt: 'Have you been here before?', isCached: true },
      { prompt: 'Are you still there?', isCached: true, pauseMs: 4600, reply: 'Yes sorry. I have.' },
      {
        prompt: 'Next week, Doctor Reyes has time on Tuesday at eleven and on Friday at three in the afternoon.',
        isInterrupted: true,
        reply: 'Friday is good.',
        tool: { name: 'book_appointment', ms: 900 },
      },
      { prompt: 'You are booked for Friday at three.', reply: 'Thank you.' },
    ],
  },
  {
    industries: ['Legal', 'Property', 'Books'],
    exchanges: [
      { prompt: '{company}. How can I help you?', reply: 'I would like to speak to Anna Lind.' },
      {
        prompt: 'She is in a meeting until three. May she call you back?',
        reply: 'Yes, in the afternoon.',
        modelMs: 1700,
        tool: { name: 'create_callback', ms: 610 },
      },
      { prompt: 'Is the number that you are calling from the right one?', reply: 'Yes it is.', confidence: 0.94 },
      {
        prompt: 'Then she will call you this afternoon. Is there anything else?',
        isCached: true,
        reply: 'No, thanks.',
      },
      { prompt: 'Have a nice day.', isCached: true },
    ],
  },
]

/** Returns the conversations that fit a company, of which the name ends with its industry. */
export const getScripts = (company: string): readonly AgentScript[] =>
  agentScripts.filter((script) => script.industries.some((industry) => company.split(' ').includes(industry)))
