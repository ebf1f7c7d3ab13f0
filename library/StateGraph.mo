package StateGraph "State machines of steps and transitions; names follow Modelica.StateGraph"

  connector Step_in "of a step: a transition before it"
    output Boolean occupied "the step is active";
    input Boolean set "the transition fires";
  end Step_in;

  connector Step_out "of a step: a transition behind it"
    output Boolean available "the step is active, and no transition of less index fires";
    input Boolean reset "the transition fires";
  end Step_out;

  connector Transition_in "of a transition: the step before it"
    input Boolean available "the step is active, and no transition of less index fires";
    output Boolean reset "the transition fires";
  end Transition_in;

  connector Transition_out "of a transition: the step behind it"
    input Boolean occupied "the step is active";
    output Boolean set "the transition fires";
  end Transition_out;

  partial block PartialStep "what steps have in common"
    parameter Integer nIn(min = 0) = 1 "number of transitions before the step";
    parameter Integer nOut(min = 0) = 1 "number of transitions behind the step; of several that could fire the first does";
    Step_in inPort[nIn] "transitions before the step";
    Step_out outPort[nOut] "transitions behind the step";
    Signals.BooleanOutput active "the step is active";
  protected
    Boolean newActive "active after this pass of the event";
  equation
    active = pre(newActive);
    newActive = sum(if inPort[i].set then 1 else 0 for i in 1:nIn) > 0
      or active and sum(if outPort[i].reset then 1 else 0 for i in 1:nOut) == 0;
    for i in 1:nIn loop
      inPort[i].occupied = active or sum(if inPort[k].set then 1 else 0 for k in 1:i - 1) > 0;
    end for;
    for i in 1:nOut loop
      outPort[i].available = active and sum(if outPort[k].reset then 1 else 0 for k in 1:i - 1) == 0;
    end for;
  end PartialStep;

  block InitialStep "a step that is active at the start; every graph has one"
    extends PartialStep;
  initial equation
    pre(newActive) = true;
  end InitialStep;

  block Step "a step"
    extends PartialStep;
  initial equation
    pre(newActive) = false;
  end Step;

  partial block PartialTransition "what transitions have in common"
    Transition_in inPort "the step before";
    Transition_out outPort "the step behind";
    parameter Boolean enableTimer = false "fire only after waitTime";
    parameter Real waitTime(unit = "s", min = 0) = 1 "time for which step and condition have to hold before it fires";
    Signals.BooleanOutput fire "true in the pass of an event in which it fires";
  protected
    Boolean mayFire "the condition";
    Boolean enabled "step and condition hold";
    discrete Real since(unit = "s") "instant from which on they do";
  initial equation
    pre(enabled) = false;
    pre(since) = 0;
  equation
    enabled = mayFire and inPort.available and not outPort.occupied;
    when enabled then
      since = time;
    end when;
    fire = enabled and (not enableTimer or time >= since + waitTime);
    inPort.reset = fire;
    outPort.set = fire;
  end PartialTransition;

  block Transition "fires while the step before is active and the condition holds: Transition t(condition = x > 1)"
    extends PartialTransition;
    input Boolean condition = true "what the model says";
  equation
    mayFire = condition;
  end Transition;

  block TransitionWithSignal "a transition whose condition is a signal"
    extends PartialTransition;
    Signals.BooleanInput condition "may fire";
  equation
    mayFire = condition;
  end TransitionWithSignal;
end StateGraph;
