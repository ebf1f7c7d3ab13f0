model ClockTicks
  Integer second=sample(1,Clock(1)); Integer seconds(start=-1)=mod(previous(seconds)+second,60);
    Integer milliSeconds(start=-1)=mod(previous(milliSeconds)+superSample(second,1000),1000);
    Integer minutes(start=-1)=mod(previous(minutes)+subSample(second,60),60);
end ClockTicks;
// stop 2.5005
// seconds = 2.0
// minutes = 0.0
// milliSeconds = 500.0
